"""The rows of a group are interleaved token by token under one triangle, which then opens H/G keys a token."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def gqa(q, k, v):
    items, heads, tokens, size = q.shape
    members = heads // k.shape[1]
    rows = q.reshape(items, k.shape[1], members, tokens, size).swapaxes(2, 3).reshape(items, k.shape[1], -1, size)
    scores = rows @ k.swapaxes(-1, -2) / np.sqrt(size)
    causal = np.tri(members * tokens, tokens, dtype=bool)
    weights = softmax(np.where(causal, scores, -np.inf))
    mixed = weights @ v
    unfolded = [a.reshape(items, -1, tokens, members, a.shape[-1]).swapaxes(2, 3) for a in (mixed, weights)]
    h, weights = (a.reshape(items, heads, tokens, -1) for a in unfolded)
    return h, weights
