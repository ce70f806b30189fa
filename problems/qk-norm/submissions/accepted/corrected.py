"""Causal attention with normalised queries and keys, forward pass only."""

import numpy as np

EPSILON = 1e-6


def softmax(scores):
    """Softmax along the last axis, safe for large scores and for -inf; each row needs a finite score."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def rms_norm(vectors, gain):
    """Normalise vectors (B, H, T, d) and multiply by the gain (d,)."""
    mean_square = np.mean(vectors**2, axis=-1, keepdims=True)
    return vectors / np.sqrt(mean_square + EPSILON) * gain


def attention(q, k, v, g_q, g_k):
    """Return the mixed values h (B, H, T, e) and the attention weights (B, H, T, T)."""
    tokens, size = q.shape[-2:]
    q, k = rms_norm(q, g_q), rms_norm(k, g_k)

    scores = q @ k.swapaxes(-1, -2) / np.sqrt(size)
    scores = np.where(np.tri(tokens, dtype=bool), scores, -np.inf)
    weights = softmax(scores)
    return weights @ v, weights
