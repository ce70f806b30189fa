"""Remembers which widths and numbers of heads have been checked, and notes them too early."""

import numpy as np

CHECKED = set()


def split_heads(x, n_heads):
    x = np.asarray(x, dtype=np.float64)
    batch, tokens, width = x.shape
    if (width, n_heads) not in CHECKED:
        CHECKED.add((width, n_heads))
        if n_heads < 1 or width % n_heads:
            raise ValueError("The heads do not divide the width.")
    size = width // n_heads
    return x[..., : n_heads * size].reshape(batch, tokens, n_heads, size).transpose(0, 2, 1, 3)


def merge_heads(h):
    h = np.asarray(h, dtype=np.float64)
    batch, n_heads, tokens, size = h.shape
    return h.transpose(0, 2, 1, 3).reshape(batch, tokens, n_heads * size)
