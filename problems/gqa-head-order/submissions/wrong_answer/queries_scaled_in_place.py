"""The queries are divided in place, which changes the caller's array."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def gqa(q, k, v):
    heads, tokens, size = q.shape[1:]
    shared = heads // k.shape[1]
    keys = np.repeat(k, shared, axis=1)
    values = np.repeat(v, shared, axis=1)
    q /= np.sqrt(size)
    scores = q @ keys.swapaxes(-1, -2)
    causal = np.tri(tokens, dtype=bool)
    weights = softmax(np.where(causal, scores, -np.inf))
    return weights @ values, weights
