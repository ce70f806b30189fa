"""Queries are put member by member, so that tiled keys fit them; the results are put back."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def gqa(q, k, v):
    heads, key_heads, tokens = q.shape[1], k.shape[1], q.shape[2]
    order = np.arange(heads).reshape(key_heads, -1).T.ravel()  # first members of all groups, then second ones
    back = np.argsort(order)
    keys, values = (np.tile(array, (1, heads // key_heads, 1, 1)) for array in (k, v))
    scores = q[:, order] @ keys.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    weights = softmax(np.where(np.tri(tokens, dtype=bool), scores, -np.inf))
    return (weights @ values)[:, back], weights[:, back]
