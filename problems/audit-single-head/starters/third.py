"""Causal self-attention with one head, for a single sequence."""

import numpy as np


def attention_weights(q, k):
    """Compare every query with every key; what lies ahead of a query gets no weight."""
    scores = q @ k.T / np.sqrt(q.shape[-1])
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights /= weights.sum(axis=-1, keepdims=True)
    return np.tril(weights)


def single_head_causal(x, w_q, w_k, w_v, w_o):
    """Return the layer's output y and its attention weights for the tokens in x."""
    weights = attention_weights(x @ w_q, x @ w_k)
    mixed = weights @ (x @ w_v)
    y = mixed @ w_o
    return y, weights
