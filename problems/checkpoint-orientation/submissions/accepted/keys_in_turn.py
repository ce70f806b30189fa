"""One key after the other for all heads at once, with a running maximum and rescaled sums."""

import numpy as np


def attention(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, o_weight, o_bias, n_heads):
    items, tokens, _ = x.shape
    layers = (q_weight, q_bias), (k_weight, k_bias), (v_weight, v_bias)
    q, k, v = ((x @ w.T + b).reshape(items, tokens, n_heads, -1).swapaxes(1, 2) for w, b in layers)
    best = np.full(q.shape[:3], -np.inf)
    exps = np.zeros((items, n_heads, tokens, tokens))
    for j in range(tokens):
        score = np.einsum("bhid,bhd->bhi", q[:, :, j:], k[:, :, j]) / np.sqrt(q.shape[-1])
        higher = np.maximum(best[:, :, j:], score)
        exps[:, :, j:] *= np.exp(best[:, :, j:] - higher)[..., None]
        exps[:, :, j:, j] = np.exp(score - higher)
        best[:, :, j:] = higher
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return np.einsum("bhij,bhjd->bihd", weights, v).reshape(items, tokens, -1) @ o_weight.T + o_bias, weights
