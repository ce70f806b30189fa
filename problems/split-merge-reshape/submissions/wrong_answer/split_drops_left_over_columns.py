"""Cuts the width off."""

import numpy as np


def split_heads(x, n_heads):
    if not 1 <= n_heads <= x.shape[-1]:
        raise ValueError("There must be a head, and a column for each.")
    size = x.shape[-1] // n_heads
    x = np.asarray(x[..., : n_heads * size], dtype=np.float64)
    return x.reshape(*x.shape[:2], n_heads, size).transpose(0, 2, 1, 3)


def merge_heads(h):
    h = np.asarray(h, dtype=np.float64)
    batch, n_heads, tokens, size = h.shape
    return h.transpose(0, 2, 1, 3).reshape(batch, tokens, n_heads * size)
