"""Later scores are filled with -1000000, the lower end of the graded range, which the lowest rows come near."""

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
    weights = softmax(np.where(causal, scores, -1e6))
    merged = (weights @ v).swapaxes(1, 2).reshape(items, tokens, -1)
    return merged @ o_weight.T + o_bias, weights
