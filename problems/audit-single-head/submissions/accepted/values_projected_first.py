"""Multiply the values by w_o before they are mixed; the product is associative."""

import numpy as np


def single_head_causal(x, w_q, w_k, w_v, w_o):
    contributions = x @ (w_v @ w_o)  # (T, m): what each position would add to the output at weight 1
    scores = (x @ w_q) @ (x @ w_k).T / w_q.shape[1] ** 0.5
    scores[~np.tri(len(x), dtype=bool)] = -np.inf
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return weights @ contributions, weights
