"""Causal attention of several heads, each with a learned sink."""

import numpy as np


def attention(q, k, v, sink):
    """Return the mixed values h (H, T, e) and the attention weights (H, T, T)."""
    tokens, size = q.shape[1:]
    scores = np.einsum("hid,hjd->hij", q, k) / np.sqrt(size)
    scores[:, np.triu(np.ones((tokens, tokens), dtype=bool), k=1)] = -np.inf

    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    weights = exps / (exps.sum(axis=-1, keepdims=True) + np.exp(sink)[:, None, None])
    return weights @ v, weights
