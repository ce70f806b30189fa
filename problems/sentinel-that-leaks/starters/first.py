"""Attention of one head with a bias for every pair of positions and a mask of the pairs that may meet."""

import numpy as np


def softmax(scores):
    """Softmax along the last axis, safe for large scores and for -inf; each row needs a finite score."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=-1, keepdims=True)


def pair_scores(q, k, bias):
    """(T, T), query by key: what a query finds in a key, and the bias of the pair."""
    scores = np.einsum("id,jd->ij", q, k)
    scores += bias
    scores /= np.sqrt(q.shape[-1])
    return scores


def attention(q, k, v, bias, keep):
    """Return the mixed values h (T, e) and the weights (T, T), query by key."""
    scores = pair_scores(q, k, bias)
    scores[~keep] = -np.inf
    weights = softmax(scores)
    return weights @ v, weights
