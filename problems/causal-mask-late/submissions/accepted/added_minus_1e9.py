"""The mask is a term that is added: 0 for the past, -1e9 for the future."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def single_head_causal(x, w_q, w_k, w_v, w_o):
    queries, keys, values = x @ w_q, x @ w_k, x @ w_v
    scores = queries @ keys.T / np.sqrt(queries.shape[-1])
    future = ~np.tri(len(x), dtype=bool)
    weights = softmax(scores - 1e9 * future)
    return weights @ values @ w_o, weights
