"""A row of one key has no sink."""

import numpy as np


def attention(q, k, v, sink):
    scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])
    scores = np.where(np.tri(q.shape[1], dtype=bool), scores, -np.inf)
    column = sink[:, None, None]
    best = scores.max(axis=2, keepdims=True)
    best[:, 1:] = np.maximum(best[:, 1:], column)
    exps = np.exp(scores - best)
    lost = np.exp(column - best)
    lost[:, 0] = 0.0
    total = exps.sum(axis=2, keepdims=True) + lost
    weights = exps / total
    return weights @ v, weights
