"""Causal attention in which several heads of queries share one head of keys and values."""

import numpy as np


def softmax(scores):
    """Softmax along the last axis, safe for large scores and for -inf."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=-1, keepdims=True)


def gqa(q, k, v):
    """Return the mixed values h (B, H, T, e) and the attention weights (B, H, T, T)."""
    heads, tokens, size = q.shape[1:]
    shared = heads // k.shape[1]

    keys = np.repeat(k, shared, axis=1)
    values = np.repeat(v, shared, axis=1)

    scores = q @ keys.swapaxes(-1, -2) / np.sqrt(size)
    causal = np.tri(tokens, dtype=bool)
    weights = softmax(np.where(causal, scores, -np.inf))

    return weights @ values, weights
