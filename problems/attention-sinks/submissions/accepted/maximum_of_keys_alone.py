"""The maximum leaves the sink out: its exponential may become infinite, and the weights 0, as they should."""

import numpy as np


def attention(q, k, v, sink):
    scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])
    scores = np.where(np.tri(q.shape[1], dtype=bool), scores, -np.inf)

    best = scores.max(axis=2, keepdims=True)
    exps = np.exp(scores - best)
    with np.errstate(over="ignore"):
        total = exps.sum(axis=2, keepdims=True) + np.exp(sink[:, None, None] - best)
    weights = exps / total
    return weights @ v, weights
