"""Weights are exp of a difference from the log-sum-exp of the row, in extended precision."""

import numpy as np


def attention(x, w_qkv, w_o, n_heads):
    items, tokens, _ = x.shape
    q, k, v = np.moveaxis((x @ w_qkv).reshape(items, tokens, n_heads, 3, -1), 3, 0).swapaxes(2, 3)
    scores = (q @ k.swapaxes(-1, -2)).astype(np.longdouble) / np.sqrt(q.shape[-1])
    weights = np.zeros(scores.shape, dtype=np.longdouble)
    for i in range(tokens):
        row = scores[:, :, i, : i + 1]
        weights[:, :, i, : i + 1] = np.exp(row - np.logaddexp.reduce(row, axis=-1, keepdims=True))
    return (weights @ v).swapaxes(1, 2).reshape(items, tokens, -1) @ w_o, weights
