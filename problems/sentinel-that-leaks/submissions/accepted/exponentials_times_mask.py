"""The maximum is that of the open keys; hidden exponentials are capped at 1 and multiplied by the mask."""

import numpy as np


def attention(q, k, v, bias, keep):
    scores = q @ k.T / np.sqrt(q.shape[1]) + bias
    best = scores.max(axis=1, keepdims=True, where=keep, initial=-np.inf)
    exps = np.exp(np.minimum(scores - best, 0)) * keep
    weights = exps / exps.sum(axis=1, keepdims=True)
    return (exps @ v) / exps.sum(axis=1, keepdims=True), weights
