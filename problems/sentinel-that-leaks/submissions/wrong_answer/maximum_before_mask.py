import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(q, k, v, bias, keep):
    scores = q @ k.T / np.sqrt(q.shape[1]) + bias
    exps = np.where(keep, np.exp(scores - scores.max(axis=1, keepdims=True)), 0.0)
    with np.errstate(all="ignore"):
        weights = exps / exps.sum(axis=1, keepdims=True)
    return weights @ v, weights
