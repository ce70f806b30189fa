"""Causal attention of several heads, each with a learned sink."""

import numpy as np


def attention(q, k, v, sink):
    """Return the mixed values h (H, T, e) and the attention weights (H, T, T)."""
    heads, tokens, size = q.shape
    scores = q @ k.swapaxes(1, 2) / np.sqrt(size)
    scores = np.where(np.tri(tokens, dtype=bool), scores, -np.inf)
    column = np.broadcast_to(sink[:, None, None], (heads, tokens, 1))

    best = np.maximum(scores.max(axis=2, keepdims=True), column)
    exps = np.exp(scores - best)
    weights = exps / (exps.sum(axis=2, keepdims=True) + np.exp(column - best))

    heard = np.exp(scores - scores.max(axis=2, keepdims=True))
    h = heard @ v / heard.sum(axis=2, keepdims=True)
    return h, weights
