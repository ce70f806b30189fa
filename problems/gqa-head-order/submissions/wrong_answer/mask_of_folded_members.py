"""The members of a group are folded into one run of rows under one long triangle."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def gqa(q, k, v):
    items, heads, tokens, size = q.shape
    members = heads // k.shape[1]
    rows = q.reshape(items, k.shape[1], members * tokens, size)
    scores = rows @ k.swapaxes(-1, -2) / np.sqrt(size)
    causal = np.tri(members * tokens, tokens, dtype=bool)
    weights = softmax(np.where(causal, scores, -np.inf))
    mixed = weights @ v
    return mixed.reshape(items, heads, tokens, -1), weights.reshape(items, heads, tokens, tokens)
