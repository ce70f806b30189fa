"""Weights are exp of a difference from the log-sum-exp of the row, in extended precision."""

import numpy as np


def attention(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, o_weight, o_bias, n_heads):
    items, tokens, _ = x.shape
    layers = (q_weight, q_bias), (k_weight, k_bias), (v_weight, v_bias)
    q, k, v = ((x @ w.T + b).reshape(items, tokens, n_heads, -1).swapaxes(1, 2) for w, b in layers)
    scores = (q @ k.swapaxes(-1, -2)).astype(np.longdouble) / np.sqrt(q.shape[-1])
    weights = np.zeros(scores.shape, dtype=np.longdouble)
    for i in range(tokens):
        row = scores[:, :, i, : i + 1]
        weights[:, :, i, : i + 1] = np.exp(row - np.logaddexp.reduce(row, axis=-1, keepdims=True))
    return (weights @ v).swapaxes(1, 2).reshape(items, tokens, -1) @ o_weight.T + o_bias, weights
