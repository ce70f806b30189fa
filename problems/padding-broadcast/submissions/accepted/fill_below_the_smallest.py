"""Hidden scores become a thousand less than the smallest of all."""

import numpy as np


def split_heads(projected, n_heads):
    """(B, T, H*n) -> (B, H, T, n); every head owns a contiguous block of columns."""
    batch, tokens, width = projected.shape
    return projected.reshape(batch, tokens, n_heads, width // n_heads).transpose(0, 2, 1, 3)


def merge_heads(heads):
    """(B, H, T, n) -> (B, T, H*n), the inverse of split_heads."""
    batch, n_heads, tokens, size = heads.shape
    return heads.transpose(0, 2, 1, 3).reshape(batch, tokens, n_heads * size)


def softmax(scores):
    """Softmax along the last axis, safe for large scores and for -inf; each row needs a finite score."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def encoder_attention(x, w_q, w_k, w_v, w_o, n_heads, lengths):
    queries = split_heads(x @ w_q, n_heads)
    keys = split_heads(x @ w_k, n_heads)
    values = split_heads(x @ w_v, n_heads)
    scores = queries @ keys.swapaxes(-1, -2) / np.sqrt(queries.shape[-1])
    text = np.arange(x.shape[1]) < lengths[:, None]
    keep = text[:, None, None, :]
    weights = softmax(np.where(keep, scores, scores.min() - 1000.0))
    return merge_heads(weights @ values) @ w_o, weights
