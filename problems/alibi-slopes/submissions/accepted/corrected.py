"""Linear position bias: every head adds a straight line to its scores, each with a slope of its own."""

import numpy as np


def head_slopes(n_heads):
    """(H,) the slopes of the heads: a geometric series for a power of two, and every second term of the next one."""
    n = 2 ** (n_heads.bit_length() - 1)
    first = 2.0 ** (-8.0 * np.arange(1, n + 1) / n)
    between = 2.0 ** (-4.0 * np.arange(1, 2 * n, 2) / n)
    return np.concatenate([first, between[: n_heads - n]])


def alibi_bias(n_heads, T):
    """(H, T, T) what is added to the scaled scores: head, query, key."""
    position = np.arange(T)
    distance = position[:, None] - position[None, :]
    return -head_slopes(n_heads)[:, None, None] * distance
