"""Grouped-query attention, the definition head by head."""

import numpy as np


def gqa(q, k, v):
    """Return h (B, H, T, e) and the weights (B, H, T, T), in double precision."""
    q, k, v = (np.asarray(a, dtype=np.float64) for a in (q, k, v))
    items, heads, tokens, size = q.shape
    members = heads // k.shape[1]  # query heads that share a key head
    h, weights = np.zeros((items, heads, tokens, v.shape[-1])), np.zeros((items, heads, tokens, tokens))
    for b in range(items):
        for n in range(heads):
            keys, values = k[b, n // members], v[b, n // members]
            scores = q[b, n] @ keys.T / np.sqrt(size)
            for i in range(tokens):
                allowed = scores[i, : i + 1]
                exponentials = np.exp(allowed - allowed.max())
                weights[b, n, i, : i + 1] = exponentials / exponentials.sum()
            h[b, n] = weights[b, n] @ values
    return h, weights
