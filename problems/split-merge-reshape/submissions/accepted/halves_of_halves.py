"""Unusual: the heads are cut into halves until each is alone, and joined in pairs."""

import numpy as np


def split_heads(x, n_heads):
    width = x.shape[2]
    if n_heads < 1 or width % n_heads:
        raise ValueError("The heads do not divide the width.")
    if n_heads == 1:
        return np.array(x[:, None], dtype=np.float64)
    left = n_heads // 2
    middle = width // n_heads * left
    return np.concatenate([split_heads(x[..., :middle], left), split_heads(x[..., middle:], n_heads - left)], axis=1)


def merge_heads(h):
    if h.shape[1] == 1:
        return np.array(h[:, 0], dtype=np.float64)
    left = h.shape[1] // 2
    return np.concatenate([merge_heads(h[:, :left]), merge_heads(h[:, left:])], axis=2)
