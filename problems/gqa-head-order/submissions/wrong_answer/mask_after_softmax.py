"""The triangle is laid over the weights after the softmax, so that rows sum to less than 1."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def gqa(q, k, v):
    heads, tokens, size = q.shape[1:]
    shared = heads // k.shape[1]
    keys = np.repeat(k, shared, axis=1)
    values = np.repeat(v, shared, axis=1)
    scores = q @ keys.swapaxes(-1, -2) / np.sqrt(size)
    causal = np.tri(tokens, dtype=bool)
    weights = softmax(scores) * causal
    return weights @ values, weights
