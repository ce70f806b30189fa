"""Missing key heads are filled up with zeros, so that most query heads return zeros."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def gqa(q, k, v):
    heads, tokens, size = q.shape[1:]
    shared = heads // k.shape[1]
    keys = np.pad(k, [(0, 0), (0, heads - k.shape[1]), (0, 0), (0, 0)])
    values = np.pad(v, [(0, 0), (0, heads - v.shape[1]), (0, 0), (0, 0)])
    scores = q @ keys.swapaxes(-1, -2) / np.sqrt(size)
    causal = np.tri(tokens, dtype=bool)
    weights = softmax(np.where(causal, scores, -np.inf))
    return weights @ values, weights
