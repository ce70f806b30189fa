"""Linear position bias: every head adds a straight line to its scores, each with a slope of its own."""

import numpy as np


def head_slopes(n_heads):
    """(H,) the slopes of the heads, a geometric series that ends with 1/256."""
    return 2.0 ** np.linspace(0.0, -8.0, n_heads + 1)[1:]


def alibi_bias(n_heads, T):
    """(H, T, T) what is added to the scaled scores: head, query, key."""
    query, key = np.indices((T, T))
    return np.einsum("h,qk->hqk", head_slopes(n_heads), key - query)
