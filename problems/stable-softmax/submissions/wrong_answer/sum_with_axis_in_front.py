import numpy as np


def softmax(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / np.expand_dims(exps.sum(axis=-1), 0)
