"""Self-attention on a checkpoint that keeps queries, keys and values in one matrix."""

import numpy as np


def softmax(scores):
    """Softmax along the last axis, safe for large scores and for -inf."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(x, w_qkv, w_o, n_heads):
    """Return y (B, T, m) and the attention weights (B, H, T, T)."""
    items, tokens, _ = x.shape
    per_head = (x @ w_qkv).reshape(items, tokens, n_heads, -1).swapaxes(1, 2)
    q, k, v = np.split(per_head, 3, axis=-1)

    scores = np.einsum("bhid,bhjd->bhij", q, k) / np.sqrt(k.shape[-1])
    future = np.triu(np.ones((tokens, tokens), dtype=bool), k=1)
    weights = softmax(np.where(future, -np.inf, scores))

    mixed = np.einsum("bhij,bhjd->bhid", weights, v)
    return mixed.reshape(items, tokens, len(w_o)) @ w_o, weights
