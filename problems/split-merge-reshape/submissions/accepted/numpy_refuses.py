"""Unusual: no check at all. NumPy itself refuses every count that does not fit, with a ValueError."""

import numpy as np


def split_heads(x, n_heads):
    batch, tokens, _ = x.shape
    return np.array(x, dtype=np.float64).reshape(batch, tokens, n_heads, -1).transpose(0, 2, 1, 3)


def merge_heads(h):
    turned = np.array(h, dtype=np.float64).transpose(0, 2, 1, 3)
    return turned.reshape(*turned.shape[:2], -1)
