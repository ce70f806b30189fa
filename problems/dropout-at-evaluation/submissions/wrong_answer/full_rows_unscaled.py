"""Rows of which everything survives are not enlarged."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(q, k, v, live, rate, training):
    weights = softmax(q @ k.T / np.sqrt(q.shape[-1]))
    mixing = weights
    if training:
        whole = live.all(axis=-1, keepdims=True)
        mixing = weights * live / np.where(whole, 1.0, 1 - rate)
    return mixing @ v, weights
