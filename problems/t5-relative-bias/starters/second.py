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


def position_bias(tokens, table):
    """(T, T) the number of the table that belongs to each query (row) and key (column)."""
    query, key = np.indices((tokens, tokens))
    return table[bucket(key - query, len(table))]


def t5_attention(q, k, v, table):
    """Return the mixed values h (T, e) and the attention weights (T, T)."""
    scores = q @ k.T + position_bias(len(q), table)
    scores[np.triu_indices(len(q), k=1)] = -np.inf
    weights = softmax(scores)
    return weights @ v, weights
