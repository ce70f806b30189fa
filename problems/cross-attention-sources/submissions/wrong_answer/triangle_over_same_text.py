"""Equal states are taken for self-attention, which is causal."""

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
    if np.array_equal(x, ctx):
        scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    weights = softmax(scores)
    return weights @ values @ w_o, weights
