"""Causal attention of several heads for a batch that is padded on the left."""

import numpy as np


def softmax(scores):
    """Softmax along the last axis, safe for large scores and for -inf; each row needs a finite score."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=-1, keepdims=True)


def attention_bias(tokens, pad):
    """(B, 1, T, T), what is added to the scores: 0 where a key may be read."""
    query, key = np.indices((tokens, tokens))
    readable = (key <= query) & (key >= pad[:, None, None])
    return np.where(readable, 0.0, -1e9)[:, None]


def attention(q, k, v, pad):
    """Return the mixed values h (B, H, T, e) and the attention weights (B, H, T, T)."""
    scores = np.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(q.shape[-1])
    weights = softmax(scores + attention_bias(q.shape[2], pad))
    return weights @ v, weights
