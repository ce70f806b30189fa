"""Scale a copy of the tokens in place: a copy of integers cannot hold the quotient."""

import numpy as np


def single_head_causal(x, w_q, w_k, w_v, w_o):
    scaled = x.copy()
    scaled /= np.sqrt(w_q.shape[1])
    scores = (scaled @ w_q) @ (x @ w_k).T
    scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    return weights @ (x @ w_v) @ w_o, weights
