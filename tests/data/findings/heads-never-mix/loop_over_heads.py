import numpy as np


def multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads):
    """One head after the other, one row after the other; the scale is forgotten in the last head."""
    x = np.asarray(x, dtype=np.float64)
    d, e = w_q.shape[1] // n_heads, w_v.shape[1] // n_heads
    y = np.zeros((x.shape[0], x.shape[1], w_o.shape[1]))
    weights = np.zeros((x.shape[0], n_heads, x.shape[1], x.shape[1]))
    for b in range(x.shape[0]):
        for h in range(n_heads):
            q, k = x[b] @ w_q[:, h * d : (h + 1) * d], x[b] @ w_k[:, h * d : (h + 1) * d]
            v = x[b] @ w_v[:, h * e : (h + 1) * e]
            for i in range(x.shape[1]):
                row = k[: i + 1] @ q[i]
                if h < n_heads - 1 or n_heads == 1:
                    row = row / np.sqrt(d)
                row = np.exp(row - row.max())
                weights[b, h, i, : i + 1] = row / row.sum()
                y[b, i] += weights[b, h, i, : i + 1] @ v[: i + 1] @ w_o[h * e : (h + 1) * e]
    return y, weights
