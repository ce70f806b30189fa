"""Weights below 3e-11 are dropped as noise."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(q, k, v, live, rate, training):
    weights = softmax(q @ k.T / np.sqrt(q.shape[-1]))
    weights[weights < 3e-11] = 0.0
    mixing = weights
    if training:
        mixing = weights * live / (1 - rate)
    return mixing @ v, weights
