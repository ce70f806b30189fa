import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def single_head_causal(x, w_q, w_k, w_v, w_o):
    queries, keys, values = x @ w_q, x @ w_k, x @ w_v
    scores = queries @ keys.T / np.sqrt(queries.shape[-1])
    weights = softmax(scores)
    seen = np.tri(len(x))
    mixed = np.array([weights[i] @ (seen[i][:, None] * values) for i in range(len(x))])
    weights = weights * seen
    return mixed @ w_o, weights
