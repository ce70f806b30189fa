"""Attention of one head."""

import numpy as np


def attend(x, w_q, w_k, w_v, w_o):
    queries, keys, values = x @ w_q, x @ w_k, x @ w_v
    scores = queries @ keys.T / np.sqrt(queries.shape[1])
    masked_scores = scores
    exps = np.exp(masked_scores - masked_scores.max(axis=1, keepdims=True))
    weights = exps / exps.sum(axis=1, keepdims=True)
    return weights @ values @ w_o, weights
