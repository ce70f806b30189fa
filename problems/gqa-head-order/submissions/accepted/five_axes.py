"""Queries are viewed as (B, G, H/G, T, d), and the key heads get an axis of length 1: nothing is copied."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def gqa(q, k, v):
    items, heads, tokens, size = q.shape
    groups = q.reshape(items, k.shape[1], -1, tokens, size)
    scores = groups @ k[:, :, None].swapaxes(-1, -2) / np.sqrt(size)
    weights = softmax(np.where(np.tri(tokens, dtype=bool), scores, -np.inf))
    mixed = weights @ v[:, :, None]
    return mixed.reshape(items, heads, tokens, -1), weights.reshape(items, heads, tokens, tokens)
