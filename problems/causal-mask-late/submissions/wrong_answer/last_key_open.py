import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def single_head_causal(x, w_q, w_k, w_v, w_o):
    queries, keys, values = x @ w_q, x @ w_k, x @ w_v
    scores = queries @ keys.T / np.sqrt(queries.shape[-1])
    scores = scores.astype(np.float64)
    for i in range(len(x)):
        scores[i, i + 1 : -1] = -np.inf
    weights = softmax(scores)
    return weights @ values @ w_o, weights
