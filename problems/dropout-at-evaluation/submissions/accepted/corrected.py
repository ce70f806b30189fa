"""Attention of one head with dropout; the pattern is an argument, so that a call can be repeated."""

import numpy as np


def softmax(scores):
    """Softmax along the last axis, safe for large scores."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def dropout(weights, live, rate):
    """Switch off what is not alive, and make up for it in the rest."""
    return weights * live / (1 - rate)


def attention(q, k, v, live, rate, training):
    """Return the mixed values h (T, e) and the attention weights (T, T)."""
    scores = q @ k.T / np.sqrt(q.shape[-1])
    weights = softmax(scores)
    mixing = dropout(weights, live, rate) if training else weights
    return mixing @ v, weights
