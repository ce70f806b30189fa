"""Causal self-attention with one head, forward pass only."""

import numpy as np


def softmax(scores):
    """Softmax along the last axis, safe for large scores and for -inf."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=-1, keepdims=True)


def single_head_causal(x, w_q, w_k, w_v, w_o):
    """Return y (T, m) and the attention weights (T, T)."""
    queries = x @ w_q
    keys = x @ w_k
    values = x @ w_v

    scores = queries @ keys.T / np.sqrt(queries.shape[-1])
    keep = np.tril(np.ones(scores.shape, dtype=bool))
    weights = softmax(np.where(keep, scores, -np.inf))

    return weights @ values @ w_o, weights
