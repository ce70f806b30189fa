import numpy as np


def softmax(scores):
    exps = np.exp(np.clip(scores, -700, 700))
    return exps / exps.sum(axis=-1, keepdims=True)
