"""Unusual: keys and values are padded to a multiple of eight and the padding is masked; vectorised by signature."""

import numpy as np


def attend(q, k, v):
    tokens = len(q)
    board = -(-tokens // 8) * 8
    k, v = (np.pad(a, ((0, board - tokens), (0, 0))) for a in (k, v))
    scores = np.full((tokens, board), np.finfo(np.float64).min)
    open_cells = np.tril_indices(tokens, 0, board)
    scores[open_cells] = (q @ k.T)[open_cells] / np.sqrt(q.shape[1])
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = exps / exps.sum(axis=1, keepdims=True)
    return weights @ v, weights[:, :tokens]


attend_all = np.vectorize(attend, signature="(t,d),(t,d),(t,e)->(t,e),(t,t)")


def multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads):
    def per_head(w):
        return (x[:, None] @ w.reshape(w.shape[0], n_heads, -1).swapaxes(0, 1)).astype(np.float64)

    mixed, weights = attend_all(per_head(w_q), per_head(w_k), per_head(w_v))
    return np.concatenate(list(mixed.swapaxes(0, 1)), axis=-1) @ w_o, weights
