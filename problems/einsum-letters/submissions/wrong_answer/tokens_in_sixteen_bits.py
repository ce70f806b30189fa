"""Integer tokens are kept in sixteen bits."""

import numpy as np


def by_head(matrix, n_heads):
    """(m, H*n) -> (m, H, n); every head owns a contiguous block of columns."""
    return matrix.reshape(matrix.shape[0], n_heads, -1)


def causal_mask(tokens):
    """(T, T), True where the query (row) may read the key (column)."""
    return np.tri(tokens, dtype=bool)


def softmax(scores):
    """Softmax along the last axis, safe for large scores and for -inf."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(x, w_q, w_k, w_v, w_o, n_heads):
    """Return y (B, T, m) and the attention weights (B, H, T, T)."""
    if x.dtype == np.int64:
        x = x.astype(np.int16)
    q = np.einsum("bim,mhd->bhid", x, by_head(w_q, n_heads))
    k = np.einsum("bjm,mhd->bhjd", x, by_head(w_k, n_heads))
    v = np.einsum("bjm,mhe->bhje", x, by_head(w_v, n_heads))

    scores = np.einsum("bhid,bhjd->bhij", q, k) / np.sqrt(q.shape[-1])
    weights = softmax(np.where(causal_mask(x.shape[1]), scores, -np.inf))

    mixed = np.einsum("bhij,bhje->bihe", weights, v)
    y = np.einsum("bihe,hem->bim", mixed, w_o.reshape(n_heads, -1, w_o.shape[1]))
    return y, weights
