import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=0, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)
