"""Causal multi-head self-attention, forward pass only."""

import numpy as np


def split_heads(projected, n_heads):
    """(B, T, H*n) -> (B, H, T, n); every head owns a contiguous block of columns."""
    batch, tokens, width = projected.shape
    return projected.reshape(batch, tokens, n_heads, width // n_heads).transpose(0, 2, 1, 3)


def merge_heads(heads):
    """(B, H, T, n) -> (B, T, H*n), the inverse of split_heads."""
    batch, n_heads, tokens, size = heads.shape
    return heads.transpose(0, 2, 1, 3).reshape(batch, tokens, n_heads * size)


def causal_mask(tokens):
    """(T, T), True where the query (row) may read the key (column)."""
    return np.tri(tokens, dtype=bool)


def softmax(scores, axis):
    """Softmax along one axis, safe for large scores and for -inf."""
    shifted = scores - scores.max(axis=axis, keepdims=True)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=axis, keepdims=True)


def multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads):
    """Return y (B, T, m) and the attention weights (B, H, T, T)."""
    _, tokens, _ = x.shape
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    scale = 1.0 / np.sqrt(q.shape[-1])

    q, k, v = (split_heads(projected, n_heads) for projected in (q, k, v))
    scores = scale * (q @ k.swapaxes(-1, -2))
    scores = np.where(causal_mask(tokens), scores, -np.inf)
    weights = softmax(scores, axis=-2)

    y = merge_heads(weights @ v)
    return y, weights
