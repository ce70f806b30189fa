"""Items and key heads become one axis, so that each slice is a small multi-query attention."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def gqa(q, k, v):
    items, heads, tokens, size = q.shape
    queries = q.reshape(items * k.shape[1], -1, tokens, size)
    keys, values = (array.reshape(-1, 1, tokens, array.shape[-1]) for array in (k, v))
    scores = queries @ np.moveaxis(keys, -1, -2) / size**0.5
    weights = softmax(np.where(np.tri(tokens, dtype=bool), scores, -np.inf))
    return (weights @ values).reshape(items, heads, tokens, -1), weights.reshape(items, heads, tokens, tokens)
