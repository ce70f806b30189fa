import numpy as np


def softmax(scores):
    best = scores.max(axis=-1, keepdims=True)
    exps = np.exp(scores - np.where(best > 709, best, 0))
    return exps / exps.sum(axis=-1, keepdims=True)
