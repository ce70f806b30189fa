"""Unusual: float32 all the way, which holds these numbers to seven digits."""

import numpy as np


def alibi_bias(n_heads, T):
    n = 2 ** (n_heads.bit_length() - 1)
    first = np.geomspace(2 ** (-8 / n), 2.0**-8, n)
    between = first[: n_heads - n] * 2 ** (4 / n)
    slopes = np.append(first, between).astype(np.float32)
    position = np.arange(T, dtype=np.float32)
    return slopes[:, None, None] * (position[None, None, :] - position[None, :, None])
