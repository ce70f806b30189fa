"""The score of the first key stands for the maximum."""

import numpy as np


def attention(q, k, v, sink):
    scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])
    scores = np.where(np.tri(q.shape[1], dtype=bool), scores, -np.inf)
    column = sink[:, None, None]
    best = np.maximum(scores[:, :, :1], column)
    exps = np.exp(scores - best)
    weights = exps / (exps.sum(axis=2, keepdims=True) + np.exp(column - best))
    return weights @ v, weights
