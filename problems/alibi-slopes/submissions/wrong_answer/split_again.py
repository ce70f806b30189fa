"""The rest is a smaller model."""

import numpy as np


def head_slopes(n_heads):
    n = 2 ** (n_heads.bit_length() - 1)
    first = 2.0 ** (-8.0 * np.arange(1, n + 1) / n)
    return first if n == n_heads else np.concatenate([first, head_slopes(n_heads - n)])


def alibi_bias(n_heads, T):
    position = np.arange(T)
    distance = position[:, None] - position[None, :]
    return -head_slopes(n_heads)[:, None, None] * distance
