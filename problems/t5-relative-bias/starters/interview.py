"""Causal attention of one head whose positions are a learned bias by distance."""

import numpy as np


def softmax(scores):
    """Softmax along the last axis, safe for large scores and for -inf."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=-1, keepdims=True)


def bucket(distance, n):
    """Which of n buckets a key belongs to that lies `distance` positions behind its query; 0 for later keys."""
    half = n // 2
    steps = np.log(np.maximum(distance, half) / half) / np.log(32 / half) * (n - half)
    far = np.minimum(half + steps.astype(int), n - 1)
    return np.where(distance < half, np.maximum(distance, 0), far)


def t5_attention(q, k, v, table):
    """Return the mixed values h (T, e) and the attention weights (T, T)."""
    tokens, size = q.shape
    position = np.arange(tokens)
    distance = position[None, :] - position[:, None]

    scores = q @ k.T / np.sqrt(size)
    scores = scores + table[bucket(distance, len(table))]
    scores = np.where(np.tri(tokens, dtype=bool), scores, -np.inf)

    weights = softmax(scores)
    return weights @ v, weights
