import numpy as np


def softmax(scores):
    finite = np.isfinite(scores)
    mean = np.where(finite, scores, 0.0).sum(axis=-1, keepdims=True) / finite.sum(axis=-1, keepdims=True)
    exps = np.exp(scores - mean)
    return exps / exps.sum(axis=-1, keepdims=True)
