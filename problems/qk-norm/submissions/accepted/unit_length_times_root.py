"""Vectors of length 1, times the root of d: with the constant d times as large that is the same norm."""

import numpy as np


def _unit(vectors):
    return vectors / np.sqrt(np.linalg.norm(vectors, axis=-1, keepdims=True) ** 2 + vectors.shape[-1] * 1e-6)


def attention(q, k, v, g_q, g_k):
    tokens, size = q.shape[-2:]
    root = np.sqrt(size)
    scores = np.matmul(root * _unit(q) * g_q, np.swapaxes(_unit(k) * g_k, 2, 3))  # the other root is the scale
    future = np.triu_indices(tokens, k=1)
    scores[:, :, future[0], future[1]] = np.finfo(np.float64).min
    scores -= scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights /= weights.sum(axis=-1, keepdims=True)
    return np.matmul(weights, v), weights
