import numpy as np


def single_head_causal(x, w_q, w_k, w_v, w_o):
    q = x @ w_q
    k = x @ w_k
    v = x @ w_v
    scores = q @ k.T / np.sqrt(q.shape[1])
    masked = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    peak = masked.max(axis=1, keepdims=True)
    out_of_range = (peak > 709) | (peak < -745)
    e = np.exp(masked - np.where(out_of_range, peak, 0))
    weights = e / e.sum(axis=1, keepdims=True)
    mixed = weights @ v
    y = mixed @ w_o
    return y, weights
