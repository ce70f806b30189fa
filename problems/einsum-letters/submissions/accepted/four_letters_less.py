"""Unusual: ellipses stand for item and head, so that only the letters of the product itself are written."""

import numpy as np


def heads(x, w, n_heads):
    return np.moveaxis(np.einsum("...m,mn->...n", x, w).reshape(*x.shape[:2], n_heads, -1), 2, 1)


def attention(x, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = (heads(x, w, n_heads) for w in (w_q, w_k, w_v))
    scores = np.einsum("...id,...jd->...ij", q, k) * q.shape[-1] ** -0.5
    later = np.triu(np.ones(scores.shape[-2:], dtype=bool), k=1)
    scores = np.where(later, -1e30, scores)
    weights = np.exp(scores - np.amax(scores, axis=-1)[..., None])
    weights /= np.einsum("...j->...", weights)[..., None]
    mixed = np.einsum("...ij,...je->...ie", weights, v)
    return np.tensordot(np.moveaxis(mixed, 1, 2), w_o.reshape(n_heads, -1, w_o.shape[1]), axes=2), weights
