"""The head axis of an attention layer: cut before attention, joined after it."""

import numpy as np


def split_heads(x, n_heads):
    """(B, T, H*d) -> (B, H, T, d), floating point; refuses a width that the heads do not divide."""
    x = np.asarray(x, dtype=np.float64)
    batch, tokens, width = x.shape
    if n_heads < 1 or width % n_heads:
        raise ValueError(f"A width of {width} cannot be split into {n_heads} heads.")
    return x.reshape(batch, n_heads, tokens, width // n_heads)


def merge_heads(h):
    """(B, H, T, d) -> (B, T, H*d), floating point."""
    h = np.asarray(h, dtype=np.float64)
    batch, n_heads, tokens, size = h.shape
    return h.transpose(0, 2, 1, 3).reshape(batch, tokens, n_heads * size)
