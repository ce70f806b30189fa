"""A logistic function of each score against the sink."""

import numpy as np


def attention(q, k, v, sink):
    scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])
    scores = np.where(np.tri(q.shape[1], dtype=bool), scores, -np.inf)
    weights = np.exp(-np.logaddexp(0.0, sink[:, None, None] - scores))
    return weights @ v, weights
