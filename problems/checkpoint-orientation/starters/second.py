"""Self-attention with the tensors of a published checkpoint."""

import numpy as np


def softmax(scores):
    """Softmax along the last axis, safe for large scores and for -inf."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, o_weight, o_bias, n_heads):
    """Return y (B, T, m) and the attention weights (B, H, T, T)."""
    tokens = x.shape[1]
    q, k, v = (
        np.stack(np.split(x @ weight.T + bias, n_heads, axis=-1), axis=1)
        for weight, bias in ((q_weight, q_bias), (k_weight, k_bias), (v_weight, v_bias))
    )

    scores = (q / np.sqrt(q.shape[-1])) @ k.swapaxes(-1, -2)
    scores = np.where(np.tri(tokens, dtype=bool), scores, -np.inf)
    weights = softmax(scores)

    merged = np.concatenate(list((weights @ v).swapaxes(0, 1)), axis=-1)
    return np.matmul(merged, o_weight) + o_bias, weights
