"""Compares the heads and the width by their greatest common divisor."""

import math

import numpy as np


def split_heads(x, n_heads):
    x = np.asarray(x, dtype=np.float64)
    batch, tokens, width = x.shape
    if not 1 <= n_heads <= width or (n_heads > 1 and math.gcd(width, n_heads) == 1):
        raise ValueError("The heads do not divide the width.")
    size = width // n_heads
    return x[..., : n_heads * size].reshape(batch, tokens, n_heads, size).transpose(0, 2, 1, 3)


def merge_heads(h):
    h = np.asarray(h, dtype=np.float64)
    batch, n_heads, tokens, size = h.shape
    return h.transpose(0, 2, 1, 3).reshape(batch, tokens, n_heads * size)
