"""o_bias is added by every head, so that it counts H times."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, o_weight, o_bias, n_heads):
    items, tokens, _ = x.shape

    def heads(projected):
        return projected.reshape(items, tokens, n_heads, -1).swapaxes(1, 2)

    q = heads(x @ q_weight.T + q_bias)
    k = heads(x @ k_weight.T + k_bias)
    v = heads(x @ v_weight.T + v_bias)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    causal = np.tri(tokens, dtype=bool)
    weights = softmax(np.where(causal, scores, -np.inf))
    blocks = np.split(o_weight, n_heads, axis=1)
    return sum(weights[:, h] @ v[:, h] @ blocks[h].T + o_bias for h in range(n_heads)), weights
