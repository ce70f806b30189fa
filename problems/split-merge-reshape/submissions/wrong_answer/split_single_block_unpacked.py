"""A shortcut for one item with one head."""

import numpy as np


def split_heads(x, n_heads):
    x = np.asarray(x, dtype=np.float64)
    batch, tokens, width = x.shape
    if n_heads < 1 or width % n_heads:
        raise ValueError("The heads do not divide the width.")
    if batch == n_heads == 1:
        return x[0]
    return x.reshape(batch, tokens, n_heads, width // n_heads).transpose(0, 2, 1, 3)


def merge_heads(h):
    h = np.asarray(h, dtype=np.float64)
    batch, n_heads, tokens, size = h.shape
    return h.transpose(0, 2, 1, 3).reshape(batch, tokens, n_heads * size)
