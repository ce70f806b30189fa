"""-1e9 is added to the scores of the padding; the bias is made per item and gets its axes by reshape."""

import numpy as np


def _split(projected, n_heads):
    return projected.reshape(*projected.shape[:2], n_heads, -1).swapaxes(1, 2)


def encoder_attention(x, w_q, w_k, w_v, w_o, n_heads, lengths):
    q, k, v = (_split(x @ w, n_heads) for w in (w_q, w_k, w_v))
    bias = np.stack([np.repeat([0.0, -1e9], [n, x.shape[1] - n]) for n in lengths]).reshape(len(x), 1, 1, -1)
    scores = (q / np.sqrt(q.shape[-1])) @ k.swapaxes(-1, -2) + bias
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return (weights @ v).swapaxes(1, 2).reshape(*x.shape[:2], -1) @ w_o, weights
