"""Causal attention in which several heads of queries share one head of keys and values."""

import numpy as np


def softmax(scores):
    """Softmax along the last axis, safe for large scores and for -inf."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=-1, keepdims=True)


def gqa(q, k, v):
    """Return the mixed values h (B, H, T, e) and the attention weights (B, H, T, T)."""
    items, heads, tokens, size = q.shape
    key_heads = k.shape[1]
    members = q.reshape(items, key_heads, heads // key_heads, tokens, size)

    width = members.shape[2] * members.shape[4]
    scores = np.einsum("bgrqd,bgkd->bgrqk", members, k) / np.sqrt(width)
    causal = np.tri(tokens, dtype=bool)
    weights = softmax(np.where(causal, scores, -np.inf))
    mixed = np.einsum("bgrqk,bgke->bgrqe", weights, v)

    return mixed.reshape(items, heads, tokens, -1), weights.reshape(items, heads, tokens, tokens)
