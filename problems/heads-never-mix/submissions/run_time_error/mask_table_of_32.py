"""The mask is cut from a table made for 32 tokens; longer sequences do not fit."""

import numpy as np

MAX_TOKENS = 32
ALLOWED = np.tri(MAX_TOKENS, dtype=bool)


def split_heads(projected, n_heads):
    batch, tokens, width = projected.shape
    return projected.reshape(batch, tokens, n_heads, width // n_heads).transpose(0, 2, 1, 3)


def multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads):
    batch, tokens, _ = x.shape
    queries, keys, values = (split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v))
    scores = queries @ keys.swapaxes(-1, -2) / np.sqrt(queries.shape[-1])
    scores = np.where(ALLOWED[:tokens, :tokens], scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return (weights @ values).transpose(0, 2, 1, 3).reshape(batch, tokens, -1) @ w_o, weights
