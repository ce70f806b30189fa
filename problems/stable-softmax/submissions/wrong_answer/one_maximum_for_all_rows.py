import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max())
    return exps / exps.sum(axis=-1, keepdims=True)
