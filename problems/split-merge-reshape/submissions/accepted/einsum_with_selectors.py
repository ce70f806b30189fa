"""Unusual: multiply by matrices of zeros and ones that pick each head's columns; every sum has one term."""

import numpy as np


def selectors(n_heads, size):
    return np.eye(n_heads * size).reshape(n_heads * size, n_heads, size)


def split_heads(x, n_heads):
    if n_heads <= 0 or x.shape[2] % n_heads != 0:
        raise ValueError("The heads must divide the width.")
    return np.einsum("btw,whd->bhtd", x, selectors(n_heads, x.shape[2] // n_heads))


def merge_heads(h):
    return np.einsum("bhtd,whd->btw", h, selectors(h.shape[1], h.shape[3]))
