"""Causal self-attention with one head, for a single sequence."""

import numpy as np


def single_head_causal(x, w_q, w_k, w_v, w_o):
    """Return the layer's output y and its attention weights for the tokens in x."""
    tokens, width = x.shape
    assert w_o.shape == (w_v.shape[1], width), "w_o leads from the values back to the model"

    q = x @ w_q  # (T, d)
    k = x @ w_k  # (T, d)
    v = x @ w_v  # (T, e)

    scores = q @ k.T / np.sqrt(q.shape[1])  # (T, T)
    scores[np.triu_indices(tokens, k=1)] = -np.inf

    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)

    y = weights @ v
    return y, weights
