"""Unusual: the slopes beyond a power of two come from a call for twice the power."""

import math

import numpy as np


def slopes_of(heads):
    if math.log2(heads).is_integer():
        ratio = 2 ** (-(2 ** -(math.log2(heads) - 3)))
        return [ratio * ratio**k for k in range(heads)]
    closest = 2 ** math.floor(math.log2(heads))
    return slopes_of(closest) + slopes_of(2 * closest)[0::2][: heads - closest]


def alibi_bias(n_heads, T):
    steps = np.arange(T)[None, :] - np.arange(T)[:, None]
    return np.array(slopes_of(n_heads)).reshape(-1, 1, 1) * steps
