"""Rows of weights sum to 1, so the value bias passes through the output projection once and joins its bias."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, o_weight, o_bias, n_heads):
    items, tokens, _ = x.shape
    projected = x @ q_weight.T + q_bias, x @ k_weight.T + k_bias, x @ v_weight.T
    q, k, v = (each.reshape(items, tokens, n_heads, -1).swapaxes(1, 2) for each in projected)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    later = np.triu(np.ones((tokens, tokens), dtype=bool), k=1)
    weights = softmax(np.where(later, -1e30, scores))
    merged = (weights @ v).swapaxes(1, 2).reshape(items, tokens, -1)
    return merged @ o_weight.T + (o_weight @ v_bias + o_bias), weights
