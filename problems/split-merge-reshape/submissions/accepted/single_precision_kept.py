"""Unusual: float32 stays float32, integers become double."""

import numpy as np


def in_floats(array):
    return array if array.dtype.kind == "f" else array.astype("f8")


def split_heads(x, n_heads):
    if n_heads not in range(1, x.shape[-1] + 1) or x.shape[-1] % n_heads:
        raise ValueError(n_heads)
    return np.swapaxes(in_floats(x).reshape(x.shape[:-1] + (n_heads, -1)), 1, 2)


def merge_heads(h):
    return np.swapaxes(in_floats(h), 1, 2).reshape(h.shape[0], h.shape[2], -1)
