"""Unusual: four nested loops."""

import numpy as np


def split_heads(x, n_heads):
    batch, tokens, width = x.shape
    if n_heads <= 0 or n_heads * (width // n_heads) != width:
        raise ValueError("uneven heads")
    size = width // n_heads
    heads = np.zeros((batch, n_heads, tokens, size))
    for b, h, t, j in np.ndindex(heads.shape):
        heads[b, h, t, j] = x[b, t, h * size + j]
    return heads


def merge_heads(h):
    batch, n_heads, tokens, size = h.shape
    merged = np.zeros((batch, tokens, n_heads * size))
    for b, i, t, j in np.ndindex(h.shape):
        merged[b, t, i * size + j] = h[b, i, t, j]
    return merged
