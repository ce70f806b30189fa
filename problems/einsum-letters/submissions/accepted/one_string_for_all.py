"""Unusual: query and key matrices are multiplied first, and one einsum of four operands makes the output."""

import numpy as np


def attention(x, w_q, w_k, w_v, w_o, n_heads):
    x = np.asarray(x, dtype=np.float64)
    w_q, w_k, w_v = (w.astype(np.float64).reshape(w.shape[0], n_heads, -1) for w in (w_q, w_k, w_v))
    asks = np.einsum("mhd,nhd->hmn", w_q, w_k)
    scores = np.einsum("bim,hmn,bjn->bhij", x, asks, x, optimize=True) / np.sqrt(w_k.shape[2])
    weights = np.zeros_like(scores)
    for i in range(x.shape[1]):
        row = scores[:, :, i, : i + 1]
        row = np.exp(row - row.max(axis=-1, keepdims=True))
        weights[:, :, i, : i + 1] = row / row.sum(axis=-1, keepdims=True)
    blocks = w_o.astype(np.float64).reshape(n_heads, -1, w_o.shape[1])
    return np.einsum("bhij,bjm,mhe,hen->bin", weights, x, w_v, blocks, optimize=True), weights
