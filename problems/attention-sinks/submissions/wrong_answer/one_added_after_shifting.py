"""1 is added to sums that were shifted by the maximum."""

import numpy as np


def attention(q, k, v, sink):
    scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])
    scores = np.where(np.tri(q.shape[1], dtype=bool), scores, -np.inf)
    column = sink[:, None, None]
    best = scores.max(axis=2, keepdims=True)
    exps = np.exp(scores - best)
    total = exps.sum(axis=2, keepdims=True) + 1.0
    weights = exps / total
    return weights @ v, weights
