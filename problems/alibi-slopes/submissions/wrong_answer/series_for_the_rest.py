"""The rest gets a series of its own number."""

import numpy as np


def head_slopes(n_heads):
    n = 2 ** (n_heads.bit_length() - 1)
    first = 2.0 ** (-8.0 * np.arange(1, n + 1) / n)
    between = 2.0 ** (-4.0 * np.arange(1, 2 * n, 2) / n)
    rest = n_heads - n
    return np.concatenate([first, 2.0 ** (-8.0 * np.arange(1, rest + 1) / max(rest, 1))])


def alibi_bias(n_heads, T):
    position = np.arange(T)
    distance = position[:, None] - position[None, :]
    return -head_slopes(n_heads)[:, None, None] * distance
