"""A third of the cut is repaired."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(x, w_qkv, w_o, n_heads):
    items, tokens, _ = x.shape
    size = w_qkv.shape[1] // (3 * n_heads)
    projected = (x @ w_qkv).reshape(items, tokens, n_heads, 3, size)
    blocks = projected.reshape(items, tokens, 3, n_heads, size)
    q = projected[:, :, :, 0].swapaxes(1, 2)
    k, v = blocks[:, :, 1].swapaxes(1, 2), blocks[:, :, 2].swapaxes(1, 2)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(size)
    causal = np.tri(tokens, dtype=bool)
    weights = softmax(np.where(causal, scores, -np.inf))
    merged = (weights @ v).swapaxes(1, 2).reshape(items, tokens, -1)
    return merged @ w_o, weights
