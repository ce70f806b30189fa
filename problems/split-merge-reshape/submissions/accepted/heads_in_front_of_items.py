"""Unusual: heads folded in front of the items, (H*B, T, d), and unfolded in the same order."""

import numpy as np


def fold(x, n_heads):
    return np.concatenate(np.split(x, n_heads, axis=2), axis=0)


def split_heads(x, n_heads):
    if n_heads < 1 or x.shape[2] % n_heads:
        raise ValueError("the heads must divide the width")
    folded = fold(np.asarray(x, dtype=np.longdouble), n_heads)
    return folded.reshape(n_heads, len(x), x.shape[1], -1).swapaxes(0, 1)


def merge_heads(h):
    batch, n_heads, tokens, size = h.shape
    folded = np.asarray(h, dtype=np.longdouble).swapaxes(0, 1).reshape(n_heads * batch, tokens, size)
    return np.concatenate(np.split(folded, n_heads, axis=0), axis=2)
