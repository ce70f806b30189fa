"""Value and output projections are multiplied first; the mask is a row of a triangle."""

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
    d, e, m = w_q.shape[1] // n_heads, w_v.shape[1] // n_heads, x.shape[-1]
    folded = np.einsum("mhe,hen->hmn", w_v.reshape(m, n_heads, e), w_o.reshape(n_heads, e, m))
    queries, keys = split_heads(x @ w_q, n_heads), split_heads(x @ w_k, n_heads)
    scores = np.einsum("bhid,bhjd->bhij", queries, keys) / np.sqrt(d)
    text = np.tri(x.shape[1], dtype=bool)[lengths - 1]
    weights = softmax(np.where(text[:, None, None], scores, -np.inf))
    return np.einsum("bhij,bjm,hmn->bin", weights, x, folded, optimize=True), weights
