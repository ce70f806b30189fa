import numpy as np


def single_head_causal(x, w_q, w_k, w_v, w_o):
    q = x @ w_q
    k = x @ w_k
    v = x @ w_v
    scores = q @ k.T / np.sqrt(q.shape[1])
    e = np.exp(scores - scores.max(axis=0, keepdims=True))
    weights = np.tril(e / e.sum(axis=0, keepdims=True))
    mixed = weights @ v
    y = mixed @ w_o
    return y, weights
