"""The column is dropped and the rows are brought to a sum of 1 again."""

import numpy as np


def attention(q, k, v, sink):
    scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])
    scores = np.where(np.tri(q.shape[1], dtype=bool), scores, -np.inf)
    column = sink[:, None, None]
    best = np.maximum(scores.max(axis=2, keepdims=True), column)
    exps = np.exp(scores - best)
    total = exps.sum(axis=2, keepdims=True) + np.exp(column - best)
    weights = exps / total
    with np.errstate(invalid="ignore"):
        weights = np.exp(scores - scores.max(axis=2, keepdims=True))
        weights = weights / weights.sum(axis=2, keepdims=True)
    return weights @ v, weights
