"""Causal attention with normalised queries and keys, the definition row by row."""

import numpy as np


def _normalised(vector, gain):
    """(d,) divided by the root of its mean square, times the gain."""
    return vector / np.sqrt(np.sum(vector**2) / len(vector) + 1e-6) * gain


def attention(q, k, v, g_q, g_k):
    """Return h (B, H, T, e) and the weights (B, H, T, T)."""
    q, k, v, g_q, g_k = (np.asarray(array, dtype=np.float64) for array in (q, k, v, g_q, g_k))
    items, heads, tokens, size = q.shape
    weights = np.zeros((items, heads, tokens, tokens))
    for b, h in np.ndindex(items, heads):
        queries = np.array([_normalised(vector, g_q) for vector in q[b, h]])
        keys = np.array([_normalised(vector, g_k) for vector in k[b, h]])
        for i in range(tokens):
            scores = keys[: i + 1] @ queries[i] / np.sqrt(size)
            exponentials = np.exp(scores - scores.max())
            weights[b, h, i, : i + 1] = exponentials / exponentials.sum()
    return weights @ v, weights
