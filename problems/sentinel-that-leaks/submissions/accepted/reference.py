"""Attention with a bias and a mask of pairs, the definition row by row."""

import numpy as np


def attention(q, k, v, bias, keep):
    """Return h (T, e) and the weights (T, T)."""
    q, k, v, bias = (np.asarray(a, dtype=np.float64) for a in (q, k, v, bias))
    scores = q @ k.T / np.sqrt(q.shape[1]) + bias
    weights = np.zeros_like(scores)
    for i, row in enumerate(scores):
        allowed = row[keep[i]]
        exponentials = np.exp(allowed - allowed.max())
        weights[i, keep[i]] = exponentials / exponentials.sum()
    return weights @ v, weights
