"""Linear position bias: every head adds a straight line to its scores, each with a slope of its own."""

import numpy as np


def head_slopes(n_heads):
    """(H,) the slopes of the heads, a geometric series that ends with 1/256."""
    step = 2.0 ** (-8.0 / n_heads)
    return step ** np.arange(1, n_heads + 1)


def alibi_bias(n_heads, T):
    """(H, T, T) what is added to the scaled scores: head, query, key."""
    position = np.arange(T)
    distance = position[:, None] - position[None, :]
    return head_slopes(n_heads)[:, None, None] * distance
