"""Rows of which nothing would survive are not dropped."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(q, k, v, live, rate, training):
    weights = softmax(q @ k.T / np.sqrt(q.shape[-1]))
    mixing = weights
    if training:
        mixing = weights * (live | ~live.any(axis=-1, keepdims=True)) / (1 - rate)
    return mixing @ v, weights
