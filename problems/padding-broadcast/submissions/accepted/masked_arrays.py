"""NumPy's masked arrays hide the padding from the maximum and from the sum."""

import numpy as np


def encoder_attention(x, w_q, w_k, w_v, w_o, n_heads, lengths):
    items, tokens, _ = x.shape
    q, k, v = ((x @ w).reshape(items, tokens, n_heads, -1) for w in (w_q, w_k, w_v))
    scores = np.einsum("bihd,bjhd->bhij", q, k) / np.sqrt(q.shape[-1])
    padding = np.greater_equal.outer(np.arange(tokens), lengths).T
    scores = np.ma.array(scores, mask=np.broadcast_to(padding[:, None, None], scores.shape))
    exps = np.ma.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = (exps / exps.sum(axis=-1, keepdims=True)).filled(0.0)
    return np.einsum("bhij,bjhe,hem->bim", weights, v, w_o.reshape(n_heads, -1, w_o.shape[1])), weights
