"""Queries and keys are cut head by head, and a block of all values stands behind them."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(x, w_qkv, w_o, n_heads):
    items, tokens, _ = x.shape
    size = w_qkv.shape[1] // (3 * n_heads)
    projected = x @ w_qkv
    width = n_heads * size
    q, k = projected[..., : 2 * width].reshape(items, tokens, n_heads, 2, size).transpose(3, 0, 2, 1, 4)
    v = projected[..., 2 * width :].reshape(items, tokens, n_heads, size).swapaxes(1, 2)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(size)
    causal = np.tri(tokens, dtype=bool)
    weights = softmax(np.where(causal, scores, -np.inf))
    merged = (weights @ v).swapaxes(1, 2).reshape(items, tokens, -1)
    return merged @ w_o, weights
