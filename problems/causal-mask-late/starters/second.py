"""Causal self-attention with one head, forward pass only."""

import numpy as np


def softmax(scores):
    """Softmax along the last axis, safe for large scores and for -inf."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=-1, keepdims=True)


def single_head_causal(x, w_q, w_k, w_v, w_o):
    """Return y (T, m) and the attention weights (T, T)."""
    queries, keys, values = x @ w_q, x @ w_k, x @ w_v
    tokens = len(x)

    scores = queries @ keys.T / np.sqrt(keys.shape[-1])
    readable = np.tril(np.ones((tokens, tokens), dtype=bool), k=1)
    weights = softmax(np.where(readable, scores, -np.inf))

    return weights @ values @ w_o, weights
