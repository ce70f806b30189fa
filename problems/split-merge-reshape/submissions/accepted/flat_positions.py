"""Unusual: one flat list of positions; the split takes from it, the merge puts into it."""

import numpy as np


def positions(batch, n_heads, tokens, size):
    """For every place of (B, H, T, d), in order, its place in (B, T, H*d)."""
    b, h, t, j = np.indices((batch, n_heads, tokens, size)).reshape(4, -1)
    return ((b * tokens + t) * n_heads + h) * size + j


def split_heads(x, n_heads):
    batch, tokens, width = x.shape
    if n_heads < 1 or width % n_heads:
        raise ValueError("the heads must divide the width")
    shape = (batch, n_heads, tokens, width // n_heads)
    return np.take(x, positions(*shape)).reshape(shape).astype(np.double)


def merge_heads(h):
    batch, n_heads, tokens, size = h.shape
    merged = np.empty((batch, tokens, n_heads * size))
    np.put(merged, positions(*h.shape), h)
    return merged
