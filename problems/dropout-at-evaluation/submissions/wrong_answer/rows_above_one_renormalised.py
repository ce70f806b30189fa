"""Rows that sum to more than 1 after the division are normalised again."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(q, k, v, live, rate, training):
    weights = softmax(q @ k.T / np.sqrt(q.shape[-1]))
    mixing = weights
    if training:
        mixing = weights * live / (1 - rate)
        mixing = mixing / np.maximum(mixing.sum(axis=-1, keepdims=True), 1.0)
    return mixing @ v, weights
