"""Causal self-attention with one head, for a single sequence."""

import numpy as np


def softmax(z, axis):
    z = z - z.max(axis=axis, keepdims=True)
    e = np.exp(z)
    return e / e.sum(axis=axis, keepdims=True)


def hide_future(m):
    """Keep the lower triangle: no position may use a later one."""
    return np.tril(m)


def single_head_causal(x, w_q, w_k, w_v, w_o):
    """Return the layer's output y and its attention weights for the tokens in x."""
    q = x @ w_q
    k = x @ w_k
    v = x @ w_v

    scores = q @ k.T / np.sqrt(q.shape[-1])
    weights = hide_future(softmax(scores, axis=0))
    y = weights @ v
    return y, weights
