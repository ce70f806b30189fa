"""Softmax over the keys, and the attention that uses it."""

import numpy as np


def softmax(scores):
    """Return weights of the shape of scores (..., K); each row over the keys sums to 1."""
    exps = np.exp(scores)
    return exps / np.sum(exps, axis=-1, keepdims=True)


def attend(q, k, v):
    """Mix the values v (T, e) for queries q (T, d) and keys k (T, d) of one sequence."""
    scores = q @ k.T / np.sqrt(q.shape[-1])
    causal = np.tri(*scores.shape, dtype=bool)
    weights = softmax(np.where(causal, scores, -np.inf))
    return weights @ v
