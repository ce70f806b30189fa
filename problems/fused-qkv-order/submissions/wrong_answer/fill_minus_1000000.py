"""Later scores are filled with -1000000, the lower end of the graded range, which the lowest rows come near."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(x, w_qkv, w_o, n_heads):
    items, tokens, _ = x.shape
    size = w_qkv.shape[1] // (3 * n_heads)
    projected = (x @ w_qkv).reshape(items, tokens, n_heads, 3, size)
    q, k, v = projected.transpose(3, 0, 2, 1, 4)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(size)
    causal = np.tri(tokens, dtype=bool)
    weights = softmax(np.where(causal, scores, -1e6))
    merged = (weights @ v).swapaxes(1, 2).reshape(items, tokens, -1)
    return merged @ w_o, weights
