"""Online softmax over the keys; each step is skipped by the items whose text has ended."""

import numpy as np


def _split(projected, n_heads):
    return projected.reshape(*projected.shape[:2], n_heads, -1).transpose(0, 2, 1, 3)


def encoder_attention(x, w_q, w_k, w_v, w_o, n_heads, lengths):
    q, k, v = (_split(x @ w, n_heads) for w in (w_q, w_k, w_v))
    items, heads, tokens, size = q.shape
    best, total = np.full((items, heads, tokens), -np.inf), np.zeros((items, heads, tokens))
    mixed, weights = np.zeros((items, heads, tokens, v.shape[-1])), np.zeros((items, heads, tokens, tokens))
    for j in range(lengths.max()):
        on = lengths > j
        scores = np.einsum("bhid,bhd->bhi", q[on], k[on][:, :, j]) / np.sqrt(size)
        higher = np.maximum(best[on], scores)
        shrink, share = np.exp(best[on] - higher), np.exp(scores - higher)
        best[on], total[on] = higher, total[on] * shrink + share
        mixed[on] = mixed[on] * shrink[..., None] + share[..., None] * v[on][:, :, None, j]
        weights[on] *= shrink[..., None]
        weights[on, :, :, j] = share
    joined = (mixed / total[..., None]).swapaxes(1, 2).reshape(items, tokens, -1)
    return joined @ w_o, weights / total[..., None]
