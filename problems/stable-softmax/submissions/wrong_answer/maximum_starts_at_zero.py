import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True, initial=0))
    return exps / exps.sum(axis=-1, keepdims=True)
