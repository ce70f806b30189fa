"""Five axes, members in front of groups."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def gqa(q, k, v):
    items, heads, tokens, size = q.shape
    groups = q.reshape(items, -1, k.shape[1], tokens, size)
    scores = np.einsum("brgid,bgjd->brgij", groups, k) / np.sqrt(size)
    causal = np.tri(tokens, dtype=bool)
    weights = softmax(np.where(causal, scores, -np.inf))
    mixed = np.einsum("brgij,bgje->brgie", weights, v)
    return mixed.reshape(items, heads, tokens, -1), weights.reshape(items, heads, tokens, tokens)
