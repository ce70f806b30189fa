import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def local_attention(q, k, v, window):
    scores = q @ k.T / np.sqrt(q.shape[-1])
    distance = np.subtract.outer(np.arange(len(q)), np.arange(len(q)))
    weights = softmax(np.where(distance >= 0, scores, -np.inf)) * (distance <= window)
    weights = weights / weights.sum(axis=1, keepdims=True)
    return weights @ v, weights
