"""Every head is taken to be m / H wide, which the reshape refuses where H*d is not m."""

import numpy as np


def multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads):
    batch, tokens, width = x.shape
    d_head = width // n_heads
    queries, keys, values = (
        (x @ w).reshape(batch, tokens, n_heads, d_head).transpose(0, 2, 1, 3) for w in (w_q, w_k, w_v)
    )
    scores = queries @ keys.swapaxes(-1, -2) / np.sqrt(d_head)
    scores[..., ~np.tri(tokens, dtype=bool)] = -np.inf
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return (weights @ values).transpose(0, 2, 1, 3).reshape(batch, tokens, width) @ w_o, weights
