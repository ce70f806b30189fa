"""A loop with a bound of its own."""

import numpy as np


def split_heads(x, n_heads):
    x = np.asarray(x, dtype=np.float64)
    batch, tokens, width = x.shape
    if n_heads < 1 or width % n_heads:
        raise ValueError("The heads do not divide the width.")
    heads = np.zeros((batch, n_heads, tokens, width // n_heads))
    for token in range(min(tokens, 64)):
        heads[:, :, token] = x[:, token].reshape(batch, n_heads, -1)
    return heads


def merge_heads(h):
    h = np.asarray(h, dtype=np.float64)
    batch, n_heads, tokens, size = h.shape
    return h.transpose(0, 2, 1, 3).reshape(batch, tokens, n_heads * size)
