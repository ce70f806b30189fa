"""The projected tokens are reshaped straight to (B, H, T, 3, d), so that a head is made of several tokens."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(x, w_qkv, w_o, n_heads):
    items, tokens, _ = x.shape
    size = w_qkv.shape[1] // (3 * n_heads)
    projected = (x @ w_qkv).reshape(items, n_heads, tokens, 3, size)
    q, k, v = projected.transpose(3, 0, 1, 2, 4)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(size)
    causal = np.tri(tokens, dtype=bool)
    weights = softmax(np.where(causal, scores, -np.inf))
    merged = (weights @ v).swapaxes(1, 2).reshape(items, tokens, -1)
    return merged @ w_o, weights
