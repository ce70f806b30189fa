"""Causal attention of left-padded items, the definition row by row."""

import numpy as np


def attention(q, k, v, pad):
    """Return h (B, H, T, e) and the weights (B, H, T, T); rows without a key stay zero."""
    q, k, v = (np.asarray(a, dtype=np.float64) for a in (q, k, v))
    items, heads, tokens, size = q.shape
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(size)
    weights = np.zeros((items, heads, tokens, tokens))
    for b in range(items):
        for i in range(pad[b], tokens):
            allowed = scores[b, :, i, pad[b] : i + 1]  # (H, keys)
            exponentials = np.exp(allowed - allowed.max(axis=-1, keepdims=True))
            weights[b, :, i, pad[b] : i + 1] = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return weights @ v, weights
