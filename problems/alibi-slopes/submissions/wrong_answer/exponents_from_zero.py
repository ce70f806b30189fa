"""The exponents are counted from 0."""

import numpy as np


def head_slopes(n_heads):
    n = 2 ** (n_heads.bit_length() - 1)
    first = 2.0 ** (-8.0 * np.arange(n) / n)
    between = 2.0 ** (-4.0 * np.arange(0, 2 * n, 2) / n)
    return np.concatenate([first, between[: n_heads - n]])


def alibi_bias(n_heads, T):
    position = np.arange(T)
    distance = position[:, None] - position[None, :]
    return -head_slopes(n_heads)[:, None, None] * distance
