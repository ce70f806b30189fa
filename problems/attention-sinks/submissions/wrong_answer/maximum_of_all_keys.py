"""The maximum is that of all keys, hidden ones included."""

import numpy as np


def attention(q, k, v, sink):
    scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])
    column = sink[:, None, None]
    best = np.maximum(scores.max(axis=2, keepdims=True), column)
    scores = np.where(np.tri(q.shape[1], dtype=bool), scores, -np.inf)
    exps = np.exp(scores - best)
    total = exps.sum(axis=2, keepdims=True) + np.exp(column - best)
    with np.errstate(invalid="ignore"):
        weights = exps / total
    return weights @ v, weights
