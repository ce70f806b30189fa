"""A constant feature is joined to the tokens and the biases to the matrices, which are fused into one product."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, o_weight, o_bias, n_heads):
    items, tokens, _ = x.shape
    ones = np.ones((items, tokens, 1))
    fused = np.vstack([np.column_stack(pair) for pair in ((q_weight, q_bias), (k_weight, k_bias), (v_weight, v_bias))])
    projected = np.concatenate([x, ones], axis=2) @ fused.T
    q, k, v = projected.reshape(items, tokens, 3, n_heads, -1).transpose(2, 0, 3, 1, 4)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    weights = softmax(np.where(np.tri(tokens, dtype=bool), scores, -np.inf))
    merged = (weights @ v).swapaxes(1, 2).reshape(items, tokens, -1)
    return np.concatenate([merged, ones], axis=2) @ np.column_stack([o_weight, o_bias]).T, weights
