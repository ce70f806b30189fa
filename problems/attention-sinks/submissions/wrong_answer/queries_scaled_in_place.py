"""The queries are scaled in the caller's array."""

import numpy as np


def attention(q, k, v, sink):
    q /= np.sqrt(q.shape[2])
    scores = q @ k.swapaxes(1, 2)
    scores = np.where(np.tri(q.shape[1], dtype=bool), scores, -np.inf)

    best = scores.max(axis=2, keepdims=True)
    exps = np.exp(scores - best)
    with np.errstate(over="ignore"):
        total = exps.sum(axis=2, keepdims=True) + np.exp(sink[:, None, None] - best)
    weights = exps / total
    return weights @ v, weights
