import numpy as np


def softmax(scores):
    scores = np.where(np.isneginf(scores), -1e4, scores)
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=-1, keepdims=True)
