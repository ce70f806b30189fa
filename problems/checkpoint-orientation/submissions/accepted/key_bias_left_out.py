"""The key bias is never used: it adds the same number to all scores of a row."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, o_weight, o_bias, n_heads):
    items, tokens, _ = x.shape
    projected = x @ q_weight.T + q_bias, x @ k_weight.T, x @ v_weight.T + v_bias
    q, k, v = (each.reshape(items, tokens, n_heads, -1).swapaxes(1, 2) for each in projected)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    weights = softmax(np.where(np.tri(tokens, dtype=bool), scores, -np.inf))
    merged = (weights @ v).swapaxes(1, 2).reshape(items, tokens, -1)
    return merged @ o_weight.T + o_bias, weights
