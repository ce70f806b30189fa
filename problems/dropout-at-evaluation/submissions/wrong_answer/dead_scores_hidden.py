"""Dropped keys get a score of minus infinity."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(q, k, v, live, rate, training):
    weights = softmax(q @ k.T / np.sqrt(q.shape[-1]))
    mixing = weights
    if training:
        mixing = softmax(np.where(live, q @ k.T / np.sqrt(q.shape[-1]), -np.inf))
    return mixing @ v, weights
