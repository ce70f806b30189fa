import numpy as np


def softmax(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return np.where(weights > 0, np.log(np.where(weights > 0, weights, 1)), -1e9)
