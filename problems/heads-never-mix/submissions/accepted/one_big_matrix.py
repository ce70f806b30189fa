"""Unusual: all heads of an item stand below each other and attend once, under a block-diagonal causal mask."""

import numpy as np


def multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads):
    batch, tokens, _ = x.shape
    allowed = np.kron(np.eye(n_heads), np.tri(tokens)).astype(bool)
    y, weights = [], np.zeros((batch, n_heads, tokens, tokens))
    for item, board in zip(x, weights, strict=True):
        q, k, v = (np.vstack(np.hsplit(item @ w, n_heads)) for w in (w_q, w_k, w_v))
        scores = np.where(allowed, q @ k.T / np.sqrt(q.shape[1]), -np.inf)
        shares = np.exp(scores - scores.max(axis=1)[:, None])
        shares /= shares.sum(axis=1)[:, None]
        for h in range(n_heads):
            rows = slice(h * tokens, (h + 1) * tokens)
            board[h] = shares[rows, rows]
        y.append(np.hstack(np.vsplit(shares @ v, n_heads)) @ w_o)
    return np.array(y), weights
