"""Heads and items become one axis in front, and come apart again before the merge."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(x, w_qkv, w_o, n_heads):
    items, tokens, _ = x.shape
    folded = np.concatenate(np.split(x @ w_qkv, n_heads, axis=-1))  # (H*B, T, 3 d)
    q, k, v = np.split(folded, 3, axis=-1)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    weights = softmax(np.where(np.tri(tokens, dtype=bool), scores, -np.inf))
    merged = np.concatenate(np.split(weights @ v, n_heads), axis=-1)
    return merged @ w_o, weights.reshape(n_heads, items, tokens, tokens).swapaxes(0, 1)
