"""The sink is counted once for each key of the row."""

import numpy as np


def attention(q, k, v, sink):
    scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])
    scores = np.where(np.tri(q.shape[1], dtype=bool), scores, -np.inf)
    column = sink[:, None, None]
    best = np.maximum(scores.max(axis=2, keepdims=True), column)
    exps = np.exp(scores - best)
    counts = np.arange(1, q.shape[1] + 1)[:, None]
    total = exps.sum(axis=2, keepdims=True) + counts * np.exp(column - best)
    weights = exps / total
    return weights @ v, weights
