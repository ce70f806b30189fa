"""Causal self-attention with one head: Q, K, V, scores, masked scores, weights, mixed values, output."""

import numpy as np


def single_head_causal(x, w_q, w_k, w_v, w_o):
    """Return y (T, m) and the weights (T, T) of the tokens x (T, m), computed in double precision."""
    x, w_q, w_k, w_v, w_o = (np.asarray(a, dtype=np.float64) for a in (x, w_q, w_k, w_v, w_o))
    queries = x @ w_q  # (T, d)
    keys = x @ w_k  # (T, d)
    values = x @ w_v  # (T, e)
    scores = queries @ keys.T / np.sqrt(queries.shape[1])  # (T, T), query by key
    position = np.arange(len(x))
    allowed = position[None, :] <= position[:, None]
    masked_scores = np.where(allowed, scores, -np.inf)
    exponentials = np.exp(masked_scores - masked_scores.max(axis=1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=1, keepdims=True)
    mixed_values = weights @ values  # (T, e)
    return mixed_values @ w_o, weights
