import numpy as np


def softmax(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    exps = exps / exps.sum(axis=0, keepdims=True)
    return exps / exps.sum(axis=-1, keepdims=True)
