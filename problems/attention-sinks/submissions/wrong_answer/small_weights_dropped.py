"""Weights below one in a million are set to 0."""

import numpy as np


def attention(q, k, v, sink):
    scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])
    scores = np.where(np.tri(q.shape[1], dtype=bool), scores, -np.inf)
    column = sink[:, None, None]
    best = np.maximum(scores.max(axis=2, keepdims=True), column)
    exps = np.exp(scores - best)
    quiet = np.exp(column - best)
    weights = exps / (exps.sum(axis=2, keepdims=True) + quiet)
    weights = np.where(weights < 1e-6, 0.0, weights)
    return weights @ v, weights
