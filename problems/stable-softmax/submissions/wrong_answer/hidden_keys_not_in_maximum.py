import numpy as np


def softmax(scores):
    best = np.where(np.isneginf(scores), 0.0, scores).max(axis=-1, keepdims=True)
    exps = np.exp(scores - best)
    return exps / exps.sum(axis=-1, keepdims=True)
