"""Causal multi-head self-attention, one named step per stage of the audit."""

import numpy as np


def split_heads(projected, n_heads):
    """(B, T, H*n) -> (B, H, T, n)."""
    batch, tokens, width = projected.shape
    return projected.reshape(batch, tokens, n_heads, width // n_heads).transpose(0, 2, 1, 3)


def merge_heads(heads):
    """(B, H, T, n) -> (B, T, H*n)."""
    batch, n_heads, tokens, size = heads.shape
    return heads.transpose(0, 2, 1, 3).reshape(batch, tokens, n_heads * size)


def softmax(scores):
    """Distribution over the last axis; a row has at least one finite score."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads):
    x, w_q, w_k, w_v, w_o = (np.asarray(array, dtype=np.float64) for array in (x, w_q, w_k, w_v, w_o))
    queries = split_heads(x @ w_q, n_heads)
    keys = split_heads(x @ w_k, n_heads)
    values = split_heads(x @ w_v, n_heads)
    scores = queries @ keys.swapaxes(-1, -2) / np.sqrt(queries.shape[-1])
    allowed = np.tri(x.shape[1], dtype=bool)
    masked_scores = np.where(allowed, scores, -np.inf)
    weights = softmax(masked_scores)
    mixed_values = weights @ values
    output = merge_heads(mixed_values) @ w_o
    return output, weights
