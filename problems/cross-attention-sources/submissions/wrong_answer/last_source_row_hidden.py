"""The mark of the end is hidden."""

import numpy as np


def softmax(scores):
    """Softmax along the last axis, safe for large scores and for -inf."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=-1, keepdims=True)


def cross_attention(x, ctx, w_q, w_k, w_v, w_o):
    queries = x @ w_q
    keys, values = ctx @ w_k, ctx @ w_v
    scores = queries @ keys.T / np.sqrt(keys.shape[1])
    position = np.arange(len(keys))
    weights = softmax(np.where((position < len(keys) - 1) | (len(keys) == 1), scores, -np.inf))
    return weights @ values @ w_o, weights
