import numpy as np


def softmax(scores):
    with np.errstate(all="ignore"):
        exps = np.exp(scores)
        return exps / (exps.sum(axis=-1, keepdims=True) + 1e-9)
