"""Unusual: one array of multipliers for both modes, without a branch; the softmax is a log-sum-exp."""

import numpy as np


def attention(q, k, v, live, rate, training):
    scores = q @ k.T / np.sqrt(q.shape[1])
    weights = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    multipliers = np.where(training, live / (1.0 - rate), np.ones_like(weights))
    return np.matmul(weights * multipliers, v), weights
