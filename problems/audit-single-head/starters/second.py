"""Causal self-attention with one head, for a single sequence."""

import numpy as np


def causal_mask(n):
    """True where the row's position may read the column's position."""
    position = np.arange(n)
    return position[:, None] >= position[None, :]


def softmax(z, axis):
    z = z - z.max(axis=axis, keepdims=True)
    e = np.exp(z)
    return e / e.sum(axis=axis, keepdims=True)


def single_head_causal(x, w_q, w_k, w_v, w_o):
    """Return the layer's output y and its attention weights for the tokens in x."""
    q, k, v = x @ w_q, x @ w_k, x @ w_v

    scores = q @ k.T / np.sqrt(k.shape[1])
    scores = np.where(causal_mask(len(x)), scores, -np.inf)
    weights = softmax(scores, axis=0)

    return weights @ v @ w_o, weights
