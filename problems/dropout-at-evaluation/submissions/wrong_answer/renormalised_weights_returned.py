"""The survivors are returned with rows that sum to 1 again."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(q, k, v, live, rate, training):
    weights = softmax(q @ k.T / np.sqrt(q.shape[-1]))
    mixing = weights
    if training:
        mixing = weights * live / (1 - rate)
    shown = weights * (live | ~training)
    totals = shown.sum(axis=-1, keepdims=True)
    return mixing @ v, np.divide(shown, totals, out=np.zeros_like(shown), where=totals > 0)
