"""Survivors of a row are divided by the share of the row that did survive."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(q, k, v, live, rate, training):
    weights = softmax(q @ k.T / np.sqrt(q.shape[-1]))
    mixing = weights
    if training:
        share = live.mean(axis=-1, keepdims=True)
        mixing = np.divide(weights * live, share, out=np.zeros_like(weights), where=share > 0)
    return mixing @ v, weights
