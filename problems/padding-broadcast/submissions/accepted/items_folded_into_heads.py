"""Items and heads share one axis, items outside: each item's mask is repeated for all of its heads."""

import numpy as np


def encoder_attention(x, w_q, w_k, w_v, w_o, n_heads, lengths):
    items, tokens, _ = x.shape
    q, k, v = (
        np.moveaxis((x @ w).reshape(items, tokens, n_heads, -1), 2, 1).reshape(items * n_heads, tokens, -1)
        for w in (w_q, w_k, w_v)
    )
    text = np.arange(tokens) < lengths[:, None]
    keep = np.repeat(text, n_heads, axis=0)[:, None]
    scores = np.where(keep, np.einsum("nid,njd->nij", q, k) / np.sqrt(q.shape[-1]), -1e30)
    shares = np.exp(scores - scores.max(axis=2, keepdims=True))
    shares /= shares.sum(axis=2, keepdims=True)
    mixed = np.moveaxis((shares @ v).reshape(items, n_heads, tokens, -1), 1, 2).reshape(items, tokens, -1)
    return mixed @ w_o, shares.reshape(items, n_heads, tokens, tokens)
