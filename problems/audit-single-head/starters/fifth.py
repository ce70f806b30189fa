"""Causal self-attention with one head, for a single sequence."""

import numpy as np


def softmax(z):
    """Turn every row into a distribution."""
    e = np.exp(z)
    return e / e.sum(axis=-1, keepdims=True)


def single_head_causal(x, w_q, w_k, w_v, w_o):
    """Return the layer's output y and its attention weights for the tokens in x."""
    q = x @ w_q
    k = x @ w_k
    v = x @ w_v

    scores = q @ k.T / np.sqrt(q.shape[-1])
    future = np.triu(np.ones(scores.shape, dtype=bool), k=1)
    weights = softmax(np.where(future, -np.inf, scores))

    y = (weights @ v) @ w_o
    return y, weights
