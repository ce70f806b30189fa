import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1))
    return exps / exps.sum(axis=-1)
