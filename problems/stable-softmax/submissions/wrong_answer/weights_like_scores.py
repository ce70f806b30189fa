import numpy as np


def softmax(scores):
    weights = np.zeros_like(scores)
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    weights[...] = exps / exps.sum(axis=-1, keepdims=True)
    return weights
