"""Unusual: the queries carry the scale, -1e9 is added to forbidden scores, and the softmax is a log-sum-exp."""

import numpy as np


def multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads):
    def split(projected):
        return np.moveaxis(projected.reshape(*projected.shape[:2], n_heads, -1), 2, 1)

    q, k, v = split(x @ w_q), split(x @ w_k), split(x @ w_v)
    q = q / np.sqrt(q.shape[-1])
    scores = np.einsum("bhid,bhjd->bhij", q, k)
    scores = scores + np.triu(np.full(scores.shape[-2:], -1e9), k=1)
    weights = np.exp(scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True))
    mixed = np.moveaxis(weights @ v, 1, 2)
    return np.tensordot(mixed, w_o.reshape(n_heads, -1, w_o.shape[1]), axes=2), weights
