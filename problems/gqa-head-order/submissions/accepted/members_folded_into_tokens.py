"""The members of a group stand below each other as r T rows of one product; the triangle is repeated for each."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def gqa(q, k, v):
    items, heads, tokens, size = q.shape
    key_heads = k.shape[1]
    rows = q.reshape(items, key_heads, -1, size)
    scores = rows @ k.swapaxes(-1, -2) / np.sqrt(size)
    causal = np.tile(np.tri(tokens, dtype=bool), (heads // key_heads, 1))
    weights = softmax(np.where(causal, scores, -np.inf))
    mixed = weights @ v
    return mixed.reshape(items, heads, tokens, -1), weights.reshape(items, heads, tokens, tokens)
