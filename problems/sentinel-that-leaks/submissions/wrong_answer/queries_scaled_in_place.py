import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(q, k, v, bias, keep):
    q /= np.sqrt(q.shape[1])
    scores = q @ k.T + bias
    weights = softmax(np.where(keep, scores, -np.inf))
    return weights @ v, weights
