import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def single_head_causal(x, w_q, w_k, w_v, w_o):
    queries, keys, values = x @ w_q, x @ w_k, x @ w_v
    scores = queries @ keys.T / np.sqrt(queries.shape[-1])
    scores = scores * np.tri(len(x))
    with np.errstate(all="ignore"):
        weights = softmax(np.where(scores == 0, -np.inf, scores))
    return weights @ values @ w_o, weights
