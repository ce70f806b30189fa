"""Causal self-attention with one head, each object of the definition in turn."""

import numpy as np


def single_head_causal(x, w_q, w_k, w_v, w_o):
    """Return y (T, m) and the weights (T, T) of the tokens x (T, m), computed in double precision."""
    x, w_q, w_k, w_v, w_o = (np.asarray(a, dtype=np.float64) for a in (x, w_q, w_k, w_v, w_o))
    tokens = len(x)
    queries, keys, values = x @ w_q, x @ w_k, x @ w_v
    scores = queries @ keys.T / np.sqrt(w_q.shape[1])
    weights = np.zeros((tokens, tokens))
    for i in range(tokens):
        allowed = scores[i, : i + 1]  # the keys 0 to i
        exponentials = np.exp(allowed - allowed.max())
        weights[i, : i + 1] = exponentials / exponentials.sum()
    return weights @ values @ w_o, weights
