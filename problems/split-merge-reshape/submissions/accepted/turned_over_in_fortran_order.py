"""Unusual: everything transposed. In Fortran order a reshape of the last axis counts the features before the heads."""

import numpy as np


def split_heads(x, n_heads):
    width = x.shape[-1]
    if n_heads < 1 or width % n_heads:
        raise ValueError("the heads must divide the width")
    turned = np.array(x.T, dtype=np.float64, order="F")  # (W, T, B)
    return turned.reshape((width // n_heads, n_heads, *turned.shape[1:]), order="F").transpose(3, 1, 2, 0)


def merge_heads(h):
    batch, n_heads, tokens, size = h.shape
    turned = np.array(h.transpose(3, 1, 2, 0), dtype=np.float64, order="F")  # (d, H, T, B)
    return turned.reshape((size * n_heads, tokens, batch), order="F").T
