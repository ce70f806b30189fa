"""Causal attention with normalised queries and keys, forward pass only."""

import numpy as np


def softmax(scores):
    """Softmax along the last axis, safe for large scores and for -inf; each row needs a finite score."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


class RMSNorm:
    """Divides by the root of the mean square of the last axis and multiplies by a gain."""

    def __init__(self, gain, epsilon=1e-6):
        self.gain, self.epsilon = gain, epsilon

    def __call__(self, vectors):
        return self.gain * vectors / np.sqrt(np.square(vectors).mean(-1, keepdims=True) + self.epsilon)


def attention(q, k, v, g_q, g_k):
    """Return the mixed values h (B, H, T, e) and the attention weights (B, H, T, T)."""
    norm = RMSNorm(g_q)
    scores = np.einsum("bhid,bhjd->bhij", norm(q), norm(k)) / np.sqrt(q.shape[-1])
    scores = np.where(np.tri(q.shape[2], dtype=bool), scores, -np.inf)
    weights = softmax(scores)
    return np.einsum("bhij,bhje->bhie", weights, v), weights
