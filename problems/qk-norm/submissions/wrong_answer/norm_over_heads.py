"""Causal attention with normalised queries and keys, forward pass only."""

import numpy as np

EPSILON = 1e-6


def softmax(scores):
    """Softmax along the last axis, safe for large scores and for -inf; each row needs a finite score."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def normalised(vectors):
    """Divide vectors (B, H, T, d) by the root of their mean square."""
    flat = vectors.transpose(0, 2, 1, 3).reshape(len(vectors), vectors.shape[2], -1)  # (B, T, H*d)
    root = np.sqrt((flat * flat).mean(axis=-1) + EPSILON)
    return vectors / root[:, None, :, None]


def attention(q, k, v, g_q, g_k):
    """Return the mixed values h (B, H, T, e) and the attention weights (B, H, T, T)."""
    scores = (normalised(q) * g_q) @ (normalised(k) * g_k).swapaxes(-1, -2)
    scores = scores / np.sqrt(q.shape[-1])
    future = np.triu(np.ones(scores.shape[-2:], dtype=bool), k=1)
    weights = softmax(np.where(future, -np.inf, scores))
    return weights @ v, weights
