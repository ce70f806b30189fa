"""The sink is subtracted from the scores, which makes it 0: a softmax with 1 in the denominator."""

import numpy as np


def attention(q, k, v, sink):
    scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])
    scores = np.where(np.tri(q.shape[1], dtype=bool), scores, -np.inf)

    beside = scores - sink[:, None, None]
    best = np.maximum(beside.max(axis=2, keepdims=True), 0.0)
    exps = np.exp(beside - best)
    weights = exps / (exps.sum(axis=2, keepdims=True) + np.exp(-best))
    return weights @ v, weights
