"""Reshape to (B, T, H, d) and exchange axes 1 and 2; on the way back exchange first."""

import numpy as np


def split_heads(x, n_heads):
    batch, tokens, width = x.shape
    if n_heads < 1 or width % n_heads:
        raise ValueError(f"A width of {width} cannot be split into {n_heads} heads.")
    heads = np.asarray(x, dtype=np.float64).reshape(batch, tokens, n_heads, width // n_heads).transpose(0, 2, 1, 3)
    return heads


def merge_heads(h):
    batch, n_heads, tokens, size = h.shape
    merged = np.asarray(h, dtype=np.float64).transpose(0, 2, 1, 3).reshape(batch, tokens, n_heads * size)
    return merged
