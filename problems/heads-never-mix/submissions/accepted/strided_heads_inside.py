"""Unusual: heads are every H-th column inside; columns are permuted on the way in and rows of w_o to match."""

import numpy as np


def interleave(width, n_heads):
    return np.arange(width).reshape(n_heads, -1).T.ravel()


def multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads):
    batch, tokens, _ = x.shape
    order_k, order_v = interleave(w_k.shape[1], n_heads), interleave(w_v.shape[1], n_heads)
    q, k, v = (
        (x @ w[:, order]).reshape(batch, tokens, -1, n_heads).transpose(0, 3, 1, 2)
        for w, order in ((w_q, order_k), (w_k, order_k), (w_v, order_v))
    )
    scores = np.where(np.tri(tokens, dtype=bool), q @ np.moveaxis(k, -1, -2) / np.sqrt(k.shape[-1]), -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return (weights @ v).transpose(0, 2, 3, 1).reshape(batch, tokens, -1) @ w_o[order_v], weights
