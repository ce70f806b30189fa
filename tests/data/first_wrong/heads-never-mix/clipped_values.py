"""The values were right, and are then clipped to what activations are thought to be."""
import numpy as np


def multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads):
    x, w_q, w_k, w_v, w_o = (np.asarray(each, float) for each in (x, w_q, w_k, w_v, w_o))
    items, tokens, _ = x.shape

    def heads(matrix):
        return (x @ matrix).reshape(items, tokens, n_heads, -1).transpose(0, 2, 1, 3)

    queries, keys, values = heads(w_q), heads(w_k), heads(w_v)
    values = np.clip(values, -2e4, 2e4)
    scores = queries @ keys.swapaxes(-1, -2) / np.sqrt(queries.shape[-1])
    scores = np.where(np.tri(tokens, dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights = weights / weights.sum(-1, keepdims=True)
    mixed = (weights @ values).transpose(0, 2, 1, 3).reshape(items, tokens, -1)
    return mixed @ w_o, weights
