"""Trusts the reshape to refuse what does not fit."""

import numpy as np


def split_heads(x, n_heads):
    x = np.asarray(x, dtype=np.float64)
    if not 0 < n_heads <= x.shape[-1]:
        raise ValueError("There must be a column for each head.")
    return x.reshape(-1, x.shape[1], n_heads, x.shape[-1] // n_heads).transpose(0, 2, 1, 3)


def merge_heads(h):
    h = np.asarray(h, dtype=np.float64)
    batch, n_heads, tokens, size = h.shape
    return h.transpose(0, 2, 1, 3).reshape(batch, tokens, n_heads * size)
