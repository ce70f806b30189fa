import numpy as np


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def single_head_causal(x, w_q, w_k, w_v, w_o):
    q = x @ w_q
    k = x @ w_k
    v = x @ w_v
    scores = q @ k.T / np.sqrt(q.shape[1])
    masked = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    weights = softmax(masked)
    weights = softmax(weights)
    mixed = weights @ v
    y = mixed @ w_o
    return y, weights
