"""Fills the width up."""

import numpy as np


def split_heads(x, n_heads):
    if not 1 <= n_heads <= x.shape[-1]:
        raise ValueError("There must be a head, and a column for each.")
    x = np.pad(np.asarray(x, dtype=np.float64), [(0, 0), (0, 0), (0, -x.shape[-1] % n_heads)])
    batch, tokens, width = x.shape
    return x.reshape(batch, tokens, n_heads, width // n_heads).transpose(0, 2, 1, 3)


def merge_heads(h):
    h = np.asarray(h, dtype=np.float64)
    batch, n_heads, tokens, size = h.shape
    return h.transpose(0, 2, 1, 3).reshape(batch, tokens, n_heads * size)
