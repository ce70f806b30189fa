import numpy as np


def single_head_causal(x, w_q, w_k, w_v, w_o):
    q = x @ w_q
    k = x @ w_k
    v = x @ w_v
    scores = q @ k.T / np.sqrt(q.shape[1])
    allowed = np.tri(len(x), dtype=bool)
    masked = np.where(allowed, scores, -np.inf)
    e = np.exp(np.maximum(masked - masked.max(axis=1, keepdims=True), -20.8)) * allowed
    weights = e / e.sum(axis=1, keepdims=True)
    mixed = weights @ v
    y = mixed @ w_o
    return y, weights
