"""The power of two lies below the number of heads."""

import numpy as np


def head_slopes(n_heads):
    n = 2 ** max((n_heads - 1).bit_length() - 1, 0)
    first = 2.0 ** (-8.0 * np.arange(1, n + 1) / n)
    between = 2.0 ** (-4.0 * np.arange(1, 2 * n, 2) / n)
    return np.concatenate([first, between[: n_heads - n]])


def alibi_bias(n_heads, T):
    position = np.arange(T)
    distance = position[:, None] - position[None, :]
    return -head_slopes(n_heads)[:, None, None] * distance
