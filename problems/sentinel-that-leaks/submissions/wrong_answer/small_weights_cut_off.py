import numpy as np


def attention(q, k, v, bias, keep):
    scores = np.where(keep, q @ k.T / np.sqrt(q.shape[1]) + bias, -np.inf)
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = exps / exps.sum(axis=1, keepdims=True)
    weights[weights < 1e-10] = 0.0
    return weights @ v, weights
