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
    size = w_qkv.shape[1] // (3 * n_heads)

    projected = (x @ w_qkv).reshape(items, tokens, n_heads, 3, size)
    q, k, v = projected.transpose(3, 0, 2, 1, 4)  # each (B, H, T, d)

    scores = q @ k.swapaxes(-1, -2) / np.sqrt(size)
    causal = np.tri(tokens, dtype=bool)
    weights = softmax(np.where(causal, scores, -np.inf))

    merged = (weights @ v).swapaxes(1, 2).reshape(items, tokens, n_heads * size)
    return merged @ w_o, weights
