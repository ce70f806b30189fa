"""Unusual: results of extended precision, turned round in memory."""

import numpy as np


def split_heads(x, n_heads):
    x = np.asarray(x, dtype=np.longdouble)
    batch, tokens, width = x.shape
    if n_heads < 1 or width % n_heads:
        raise ValueError("The heads do not divide the width.")
    return x.reshape(batch, tokens, n_heads, width // n_heads).transpose(0, 2, 1, 3)


def merge_heads(h):
    heads = [np.asarray(h[:, head], dtype=np.longdouble) for head in range(h.shape[1])]
    return np.concatenate(heads, axis=2)[..., ::-1].copy()[..., ::-1]
