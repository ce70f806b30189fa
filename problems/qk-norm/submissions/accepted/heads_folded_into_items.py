"""Items and heads are one axis, and the gains are a diagonal matrix between queries and keys."""

import numpy as np


def attention(q, k, v, g_q, g_k):
    items, heads, tokens, size = q.shape
    q, k, v = (a.reshape(items * heads, tokens, -1) for a in (q, k, v))
    q, k = (a / np.hypot(np.sqrt(np.mean(a * a, axis=2)), 1e-3)[:, :, None] for a in (q, k))
    scores = q @ np.diag(g_q * g_k) @ k.transpose(0, 2, 1) / np.sqrt(size)
    weights = np.zeros_like(scores)
    for i in range(tokens):
        row = np.exp(scores[:, i, : i + 1] - scores[:, i, : i + 1].max(axis=1, keepdims=True))
        weights[:, i, : i + 1] = row / row.sum(axis=1, keepdims=True)
    return (weights @ v).reshape(items, heads, tokens, -1), weights.reshape(items, heads, tokens, tokens)
