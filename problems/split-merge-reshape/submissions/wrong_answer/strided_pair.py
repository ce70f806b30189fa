"""A head is every H-th column, on both sides."""

import numpy as np


def split_heads(x, n_heads):
    x = np.asarray(x, dtype=np.float64)
    batch, tokens, width = x.shape
    if n_heads < 1 or width % n_heads:
        raise ValueError("The heads do not divide the width.")
    return x.reshape(batch, tokens, width // n_heads, n_heads).transpose(0, 3, 1, 2)


def merge_heads(h):
    h = np.asarray(h, dtype=np.float64)
    batch, n_heads, tokens, size = h.shape
    return h.transpose(0, 2, 3, 1).reshape(batch, tokens, n_heads * size)
