"""Scores are right again, but the mix still multiplies from the feature side: the sizes no longer fit."""

import numpy as np


def single_head_causal(x, w_q, w_k, w_v, w_o):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    scores = q @ k.T / np.sqrt(q.shape[1])
    scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    mixed = v @ weights.T
    return mixed @ w_o, weights
