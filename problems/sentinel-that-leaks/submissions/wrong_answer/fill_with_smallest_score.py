import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(q, k, v, bias, keep):
    scores = q @ k.T / np.sqrt(q.shape[1]) + bias
    weights = softmax(np.where(keep, scores, scores.min()))
    return weights @ v, weights
