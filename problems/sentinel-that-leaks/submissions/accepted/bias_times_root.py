"""The division stays where it was, and the bias is multiplied by the root of d so that it survives."""

import numpy as np


def attention(q, k, v, bias, keep):
    root = np.sqrt(q.shape[1])
    scores = (q @ k.T + bias * root) / root
    scores = np.where(keep, scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = exps / exps.sum(axis=1, keepdims=True)
    return weights @ v, weights
