"""Matrices are transposed only where the sizes demand it, so that a square checkpoint is read as before."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def transposed(weight, width):
    return weight if weight.shape[0] == width else weight.T


def attention(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, o_weight, o_bias, n_heads):
    items, tokens, _ = x.shape

    def heads(projected):
        return projected.reshape(items, tokens, n_heads, -1).swapaxes(1, 2)

    q = heads(x @ transposed(q_weight, x.shape[2]) + q_bias)
    k = heads(x @ transposed(k_weight, x.shape[2]) + k_bias)
    v = heads(x @ transposed(v_weight, x.shape[2]) + v_bias)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    causal = np.tri(tokens, dtype=bool)
    weights = softmax(np.where(causal, scores, -np.inf))
    merged = (weights @ v).swapaxes(1, 2).reshape(items, tokens, -1)
    o_weight = o_weight if o_weight.shape[0] == merged.shape[2] else o_weight.T
    return merged @ o_weight + o_bias, weights
