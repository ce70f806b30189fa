"""Attention of one head with a bias for every pair of positions and a mask of the pairs that may meet."""

import numpy as np

HIDDEN = -np.inf


def softmax(scores):
    """Softmax along the last axis, safe for large scores and for -inf; each row needs a finite score."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(q, k, v, bias, keep):
    """Return the mixed values h (T, e) and the weights (T, T), query by key.

    q and k are (T, d), v is (T, e), bias and keep are (T, T).
    """
    scores = q @ k.T / np.sqrt(q.shape[-1]) + bias
    scores = np.where(keep, scores, HIDDEN)
    weights = softmax(scores)
    return weights @ v, weights
