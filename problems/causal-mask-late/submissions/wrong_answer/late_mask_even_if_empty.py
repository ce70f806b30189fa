import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def single_head_causal(x, w_q, w_k, w_v, w_o):
    queries, keys, values = x @ w_q, x @ w_k, x @ w_v
    scores = queries @ keys.T / np.sqrt(queries.shape[-1])
    keep = np.tri(len(x), dtype=bool)
    weights = softmax(scores) * keep
    weights = np.where(weights.any(axis=1, keepdims=True), weights, keep)
    weights = weights / weights.sum(axis=1, keepdims=True)
    return weights @ values @ w_o, weights
