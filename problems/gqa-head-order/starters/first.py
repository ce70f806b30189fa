"""Causal attention in which several heads of queries share one head of keys and values."""

import numpy as np


def softmax(scores):
    """Softmax along the last axis, safe for large scores and for -inf."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=-1, keepdims=True)


def gqa(q, k, v):
    """Return the mixed values h (B, H, T, e) and the attention weights (B, H, T, T)."""
    heads, key_heads = q.shape[1], k.shape[1]
    shared_by = heads // key_heads

    keys = np.concatenate([k] * shared_by, axis=1)
    values = np.concatenate([v] * shared_by, axis=1)

    scores = np.einsum("bhqd,bhkd->bhqk", q, keys) / np.sqrt(q.shape[-1])
    future = np.triu(np.ones(scores.shape[-2:], dtype=bool), k=1)
    weights = softmax(np.where(future, -np.inf, scores))

    return weights @ values, weights
