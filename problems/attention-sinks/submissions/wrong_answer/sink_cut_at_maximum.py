"""The sink is not let above the maximum, so that nothing overflows."""

import numpy as np


def attention(q, k, v, sink):
    scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])
    scores = np.where(np.tri(q.shape[1], dtype=bool), scores, -np.inf)
    column = sink[:, None, None]
    best = scores.max(axis=2, keepdims=True)
    exps = np.exp(scores - best)
    total = exps.sum(axis=2, keepdims=True) + np.exp(np.minimum(column - best, 0.0))
    weights = exps / total
    return weights @ v, weights
