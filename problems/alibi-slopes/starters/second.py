"""Linear position bias: every head adds a straight line to its scores, each with a slope of its own."""

import math

import numpy as np


def head_slopes(n_heads):
    """The slopes of the heads, as a list."""

    def series(n):
        return [2 ** (-8 * k / n) for k in range(1, n + 1)]

    n = 2 ** math.floor(math.log2(n_heads))
    return series(n) + series(2 * n)[0::2][: n_heads - n]


def alibi_bias(n_heads, T):
    """(H, T, T) what is added to the scaled scores: head, query, key."""
    position = np.arange(T)
    distance = np.subtract.outer(position, position)
    return np.stack([slope * distance for slope in head_slopes(n_heads)])
