"""Encoder self-attention of right-padded items, the definition item by item and head by head."""

import numpy as np


def encoder_attention(x, w_q, w_k, w_v, w_o, n_heads, lengths):
    """Return y (B, T, m) and the weights (B, H, T, T); keys behind an item's length stay zero."""
    x, w_q, w_k, w_v, w_o = (np.asarray(array, dtype=np.float64) for array in (x, w_q, w_k, w_v, w_o))
    items, tokens, _ = x.shape
    d, e = w_q.shape[1] // n_heads, w_v.shape[1] // n_heads
    weights = np.zeros((items, n_heads, tokens, tokens))
    mixed = np.zeros((items, tokens, n_heads * e))
    for b in range(items):
        text = x[b, : lengths[b]]
        for h in range(n_heads):
            key_columns, value_columns = slice(h * d, (h + 1) * d), slice(h * e, (h + 1) * e)
            scores = (x[b] @ w_q[:, key_columns]) @ (text @ w_k[:, key_columns]).T / np.sqrt(d)  # (T, text)
            exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
            shares = exponentials / exponentials.sum(axis=1, keepdims=True)
            weights[b, h, :, : lengths[b]] = shares
            mixed[b, :, value_columns] = shares @ (text @ w_v[:, value_columns])
    return mixed @ w_o, weights
