"""The two series are woven into each other."""

import numpy as np


def head_slopes(n_heads):
    n = 2 ** (n_heads.bit_length() - 1)
    first = 2.0 ** (-8.0 * np.arange(1, n + 1) / n)
    between = 2.0 ** (-4.0 * np.arange(1, 2 * n, 2) / n)
    woven = np.empty(n_heads)
    rest = n_heads - n
    woven[0 : 2 * rest : 2], woven[1 : 2 * rest : 2] = between[:rest], first[:rest]
    woven[2 * rest :] = first[rest:]
    return woven


def alibi_bias(n_heads, T):
    position = np.arange(T)
    distance = position[:, None] - position[None, :]
    return -head_slopes(n_heads)[:, None, None] * distance
