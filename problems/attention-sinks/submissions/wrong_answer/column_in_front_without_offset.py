"""The sink is a column in front, and the triangle is not moved by it."""

import numpy as np


def attention(q, k, v, sink):
    scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])
    column = np.broadcast_to(sink[:, None, None], (*scores.shape[:2], 1))
    scores = np.concatenate([column, scores], axis=2)
    scores = np.where(np.tri(q.shape[1], q.shape[1] + 1, dtype=bool), scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=2, keepdims=True))
    weights = exps / exps.sum(axis=2, keepdims=True)
    weights = weights[:, :, 1:]
    return weights @ v, weights
