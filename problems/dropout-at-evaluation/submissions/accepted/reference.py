"""Attention of one head with a given dropout pattern, one named step per stage of the audit."""

import numpy as np


def attention(q, k, v, live, rate, training):
    """Return h (T, e) and the weights (T, T) before dropout."""
    scores = q @ k.T / np.sqrt(q.shape[1])
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    plain_weights = exponentials / exponentials.sum(axis=1, keepdims=True)
    if training:
        mixing_weights = np.where(live, plain_weights, 0.0) / (1.0 - rate)
    else:
        mixing_weights = plain_weights
    return mixing_weights @ v, plain_weights
