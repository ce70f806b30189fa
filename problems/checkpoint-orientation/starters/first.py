"""Self-attention with the tensors of a published checkpoint."""

import numpy as np


def softmax(scores):
    """Softmax along the last axis, safe for large scores and for -inf."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, o_weight, o_bias, n_heads):
    """Return y (B, T, m) and the attention weights (B, H, T, T)."""
    items, tokens, _ = x.shape
    weight = np.concatenate([q_weight, k_weight, v_weight], axis=1)
    bias = np.concatenate([q_bias, k_bias, v_bias])

    fused = x @ weight + bias
    q, k, v = fused.reshape(items, tokens, 3, n_heads, -1).transpose(2, 0, 3, 1, 4)

    scores = np.einsum("bhid,bhjd->bhij", q, k) / np.sqrt(k.shape[-1])
    future = np.triu(np.ones((tokens, tokens), dtype=bool), k=1)
    weights = softmax(np.where(future, -np.inf, scores))

    merged = (weights @ v).transpose(0, 2, 1, 3).reshape(items, tokens, -1)
    return merged @ o_weight.T + o_bias, weights
