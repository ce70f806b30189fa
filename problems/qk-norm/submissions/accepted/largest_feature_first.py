"""Vectors are divided by their largest feature before they are squared, and the constant with them."""

import numpy as np

EPSILON = 1e-6


def softmax(scores):
    """Softmax along the last axis, safe for large scores and for -inf; each row needs a finite score."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def rms_norm(vectors, gain):
    top = np.maximum(np.abs(vectors).max(axis=-1, keepdims=True), 1e-3)
    mean_square = np.mean((vectors / top) ** 2, axis=-1, keepdims=True)
    return vectors / top / np.sqrt(mean_square + EPSILON / top**2) * gain


def attention(q, k, v, g_q, g_k):
    tokens, size = q.shape[-2:]
    q, k = rms_norm(q, g_q), rms_norm(k, g_k)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(size)
    past = np.tri(tokens, dtype=bool)
    weights = softmax(np.where(past, scores, -np.inf))
    return weights @ v, weights
