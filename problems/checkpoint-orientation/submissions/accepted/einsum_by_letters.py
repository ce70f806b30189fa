"""Every projection is an einsum that names its letters, bti,oi->bto; -1e9 is added to later scores."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def linear(z, weight, bias):
    return np.einsum("bti,oi->bto", z, weight) + bias


def attention(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, o_weight, o_bias, n_heads):
    items, tokens, _ = x.shape
    cut = items, tokens, n_heads, -1
    q = linear(x, q_weight, q_bias).reshape(cut)
    k = linear(x, k_weight, k_bias).reshape(cut)
    v = linear(x, v_weight, v_bias).reshape(cut)
    scores = np.einsum("bihd,bjhd->bhij", q, k) * q.shape[-1] ** -0.5
    weights = softmax(scores - 1e9 * np.triu(np.ones((tokens, tokens)), k=1))
    merged = np.einsum("bhij,bjhd->bihd", weights, v).reshape(items, tokens, -1)
    return linear(merged, o_weight, o_bias), weights
