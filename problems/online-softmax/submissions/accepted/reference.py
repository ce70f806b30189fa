"""Attention of all queries to all keys, the definition row by row."""

import numpy as np


def stream(q, k, v, block):
    """Return h (t_q, e); the number of keys in a block makes no difference."""
    q, k, v = (np.asarray(a, dtype=np.float64) for a in (q, k, v))
    h = np.empty((len(q), v.shape[1]))
    for i, row in enumerate(q @ k.T / np.sqrt(q.shape[1])):
        exponentials = np.exp(row - row.max())
        h[i] = exponentials @ v / exponentials.sum()
    return h
