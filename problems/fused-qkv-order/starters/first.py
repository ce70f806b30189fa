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

    def heads(part):
        return part.reshape(items, tokens, n_heads, -1).swapaxes(1, 2)

    w_q, w_k, w_v = np.split(w_qkv, 3, axis=1)
    q, k, v = heads(x @ w_q), heads(x @ w_k), heads(x @ w_v)

    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    scores = np.where(np.tri(tokens, dtype=bool), scores, -np.inf)
    weights = softmax(scores)

    merged = (weights @ v).swapaxes(1, 2).reshape(items, tokens, -1)
    return merged @ w_o, weights
