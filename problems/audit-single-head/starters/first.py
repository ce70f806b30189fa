"""Causal self-attention with one head, for a single sequence."""

import numpy as np


def softmax(z):
    """Normalise along the last axis."""
    z = z - z.max(axis=-1, keepdims=True)
    e = np.exp(z)
    return e / e.sum(axis=-1, keepdims=True)


def single_head_causal(x, w_q, w_k, w_v, w_o):
    """Return the layer's output y and its attention weights for the tokens in x."""
    q = x @ w_q
    k = x @ w_k
    v = x @ w_v

    scores = q.T @ k / np.sqrt(q.shape[1])
    allowed = np.tri(*scores.shape, dtype=bool)
    weights = softmax(np.where(allowed, scores, -np.inf))

    mixed = v @ weights.T
    y = mixed @ w_o
    return y, weights
