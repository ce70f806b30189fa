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

    def heads(weight, bias):
        projected = x @ weight.T + bias
        return projected.reshape(items, tokens, n_heads, -1).swapaxes(1, 2)

    q, k, v = heads(q_weight, q_bias), heads(k_weight, k_bias), heads(v_weight, v_bias)

    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    causal = np.tri(tokens, dtype=bool)
    weights = softmax(np.where(causal, scores, -np.inf))

    merged = (weights @ v).swapaxes(1, 2).reshape(items, tokens, -1)
    return merged @ o_weight.T + o_bias, weights
