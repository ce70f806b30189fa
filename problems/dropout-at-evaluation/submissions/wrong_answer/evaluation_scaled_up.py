"""The pattern heeds the flag, the factor does not."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(q, k, v, live, rate, training):
    weights = softmax(q @ k.T / np.sqrt(q.shape[-1]))
    mixing = weights
    mixing = np.where(live | ~training, weights, 0.0) / (1 - rate)
    return mixing @ v, weights
