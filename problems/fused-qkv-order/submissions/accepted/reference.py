"""Self-attention on a fused matrix, the definition head by head."""

import numpy as np


def attention(x, w_qkv, w_o, n_heads):
    """Return y (B, T, m) and the weights (B, H, T, T), in double precision."""
    x, w_qkv, w_o = (np.asarray(a, dtype=np.float64) for a in (x, w_qkv, w_o))
    items, tokens, width = x.shape
    size = w_qkv.shape[1] // (3 * n_heads)
    y, weights = np.zeros((items, tokens, width)), np.zeros((items, n_heads, tokens, tokens))
    for b in range(items):
        for h in range(n_heads):
            first = 3 * h * size
            q = x[b] @ w_qkv[:, first : first + size]
            k = x[b] @ w_qkv[:, first + size : first + 2 * size]
            v = x[b] @ w_qkv[:, first + 2 * size : first + 3 * size]
            scores = q @ k.T / np.sqrt(size)
            for i in range(tokens):
                allowed = scores[i, : i + 1]
                exponentials = np.exp(allowed - allowed.max())
                weights[b, h, i, : i + 1] = exponentials / exponentials.sum()
            y[b] += weights[b, h] @ v @ w_o[h * size : (h + 1) * size]
    return y, weights
