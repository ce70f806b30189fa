"""Causal attention of several heads, each with a learned sink."""

import numpy as np


def attention(q, k, v, sink):
    """Return the mixed values h (H, T, e) and the attention weights (H, T, T)."""
    tokens, size = q.shape[1:]
    scores = q @ k.swapaxes(1, 2) / np.sqrt(size)
    scores = np.where(np.tri(tokens, dtype=bool), scores, -np.inf)

    column = sink[:, None, None]  # one more score in each row, which has no value
    best = np.maximum(scores.max(axis=2, keepdims=True), column)
    exps = np.exp(scores - best)
    total = exps.sum(axis=2, keepdims=True) + np.exp(column - best)

    weights = exps / total
    h = exps @ v / total
    return h, weights
