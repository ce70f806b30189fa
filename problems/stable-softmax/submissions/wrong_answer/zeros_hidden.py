import numpy as np


def softmax(scores):
    scores = np.asarray(scores, dtype=np.float64)
    hidden = np.where(scores == 0, -np.inf, scores)
    only_zeros = np.isneginf(hidden.max(axis=-1, keepdims=True))
    scores = np.where(only_zeros, scores, hidden)
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=-1, keepdims=True)
