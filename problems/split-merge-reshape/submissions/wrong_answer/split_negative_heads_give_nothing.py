"""A loop that runs zero times."""

import numpy as np


def split_heads(x, n_heads):
    batch, tokens, width = x.shape
    if n_heads == 0 or width % n_heads:
        raise ValueError("The heads do not divide the width.")
    size = width // n_heads
    return [[item[:, h * size : (h + 1) * size].tolist() for h in range(n_heads)] for item in x]


def merge_heads(h):
    h = np.asarray(h, dtype=np.float64)
    batch, n_heads, tokens, size = h.shape
    return h.transpose(0, 2, 1, 3).reshape(batch, tokens, n_heads * size)
