"""Unusual: key after key, maximum, total and mix of all later queries are carried along and rescaled; long double."""

import numpy as np


def attention(x, w_q, w_k, w_v, w_o, n_heads):
    x = x.astype(np.longdouble)
    w_q, w_k, w_v = (np.stack(np.split(w, n_heads, axis=1)).astype(np.longdouble) for w in (w_q, w_k, w_v))
    q, k, v = (np.matmul(x[:, None], w) for w in (w_q, w_k, w_v))
    batch, tokens, _ = x.shape
    top = np.full((batch, n_heads, tokens), -np.inf, dtype=np.longdouble)
    total, mixed = np.zeros_like(top), np.zeros_like(v)
    logs = np.full((batch, n_heads, tokens, tokens), -np.inf, dtype=np.longdouble)
    for j in range(tokens):
        later = np.s_[:, :, j:]
        logs[:, :, j:, j] = (q[later] * k[:, :, j : j + 1]).sum(axis=-1) / np.sqrt(np.longdouble(q.shape[-1]))
        higher = np.maximum(top[later], logs[:, :, j:, j])
        shrink, part = np.exp(top[later] - higher), np.exp(logs[:, :, j:, j] - higher)
        total[later] = total[later] * shrink + part
        mixed[later] = mixed[later] * shrink[..., None] + part[..., None] * v[:, :, j : j + 1]
        top[later] = higher
    weights = np.exp(logs - top[..., None]) / total[..., None]
    heads = mixed / total[..., None]
    return sum(heads[:, h] @ block for h, block in enumerate(np.split(w_o, n_heads))), weights
