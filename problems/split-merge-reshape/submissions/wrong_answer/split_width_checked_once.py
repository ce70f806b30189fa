"""Remembers which widths have been checked."""

import numpy as np

CHECKED = set()


def split_heads(x, n_heads):
    x = np.asarray(x, dtype=np.float64)
    batch, tokens, width = x.shape
    if n_heads < 1 or (width not in CHECKED and width % n_heads) or n_heads > width:
        raise ValueError("The heads do not divide the width.")
    CHECKED.add(width)
    size = width // n_heads
    return x[..., : n_heads * size].reshape(batch, tokens, n_heads, size).transpose(0, 2, 1, 3)


def merge_heads(h):
    h = np.asarray(h, dtype=np.float64)
    batch, n_heads, tokens, size = h.shape
    return h.transpose(0, 2, 1, 3).reshape(batch, tokens, n_heads * size)
