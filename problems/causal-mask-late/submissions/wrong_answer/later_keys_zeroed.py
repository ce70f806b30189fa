import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def single_head_causal(x, w_q, w_k, w_v, w_o):
    queries, keys, values = x @ w_q, x @ w_k, x @ w_v
    scores = queries @ keys.T / np.sqrt(queries.shape[-1])
    seen = np.tri(len(x))
    masked_keys = seen[:, :, None] * keys
    scores = np.einsum('if,ijf->ij', queries, masked_keys) / np.sqrt(keys.shape[-1])
    weights = softmax(scores)
    return weights @ values @ w_o, weights
