"""Pairs of heads are read as one group: two queries, two keys, two values."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(x, w_qkv, w_o, n_heads):
    items, tokens, _ = x.shape
    size = w_qkv.shape[1] // (3 * n_heads)
    group = 2 if n_heads % 2 == 0 else 1
    projected = (x @ w_qkv).reshape(items, tokens, n_heads // group, 3, group, size)
    q, k, v = projected.transpose(3, 0, 2, 4, 1, 5).reshape(3, items, n_heads, tokens, size)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(size)
    causal = np.tri(tokens, dtype=bool)
    weights = softmax(np.where(causal, scores, -np.inf))
    merged = (weights @ v).swapaxes(1, 2).reshape(items, tokens, -1)
    return merged @ w_o, weights
