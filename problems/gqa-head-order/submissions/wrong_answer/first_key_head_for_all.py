"""All query heads read key head 0, as in multi-query attention."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def gqa(q, k, v):
    heads, tokens, size = q.shape[1:]
    shared = heads // k.shape[1]
    keys = k[:, :1]
    values = v[:, :1]
    scores = q @ keys.swapaxes(-1, -2) / np.sqrt(size)
    causal = np.tri(tokens, dtype=bool)
    weights = softmax(np.where(causal, scores, -np.inf))
    return weights @ values, weights
