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
    queries = split_heads(x @ w_q, n_heads)
    keys = split_heads(x @ w_k, n_heads)
    values = split_heads(x @ w_v, n_heads)

    d_head = queries.shape[-1]
    scores = queries @ keys.swapaxes(-1, -2) / np.sqrt(d_head)
    scores = np.where(causal_mask(x.shape[1]), scores, -np.inf)
    weights = softmax(scores, axis=-1)

    return merge_heads(weights @ values) @ w_o, weights
