"""Causal attention of several heads, each with a learned sink."""

import numpy as np


def attention(q, k, v, sink):
    """Return the mixed values h (H, T, e) and the attention weights (H, T, T)."""
    tokens, size = q.shape[1:]
    scores = q @ k.swapaxes(1, 2) / np.sqrt(size)
    scores = np.where(np.tri(tokens, dtype=bool), scores, -np.inf)

    best = scores.max(axis=2, keepdims=True)
    exps = np.exp(scores - best)
    total = exps.sum(axis=2, keepdims=True)

    weights = exps / (total + np.exp(sink)[:, None, None])
    h = exps @ v / total
    return h, weights
