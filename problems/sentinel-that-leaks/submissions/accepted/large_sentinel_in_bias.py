"""The mask is written into a copy of the bias as -1e30, which is added after the division."""

import numpy as np


def attention(q, k, v, bias, keep):
    scores = (q / np.sqrt(q.shape[1])) @ k.T + np.where(keep, bias, -1e30)
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = exps / exps.sum(axis=1, keepdims=True)
    return weights @ v, weights
