import numpy as np


def single_head_causal(x, w_q, w_k, w_v, w_o):
    q = x @ w_q
    k = x @ w_k
    v = x @ w_v
    scores = q @ k.T / np.sqrt(q.shape[1])
    sentinel = -1e4 if x.dtype == np.float32 else -1e9
    masked = scores + np.triu(np.full(scores.shape, sentinel), k=1)
    e = np.exp(masked - masked.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    mixed = weights @ v
    y = mixed @ w_o
    return y, weights
