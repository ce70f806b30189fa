"""Dropped keys are masked like hidden ones."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(q, k, v, live, rate, training):
    scores = q @ k.T / np.sqrt(q.shape[-1])
    if training:
        scores = np.where(live, scores, -np.inf)
    weights = softmax(scores)
    return weights @ v, weights
