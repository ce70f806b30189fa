import numpy as np

_BUFFERS = {}


def softmax(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    buffer = _BUFFERS.setdefault(scores.shape, np.empty(scores.shape))
    return np.divide(exps, exps.sum(axis=-1, keepdims=True), out=buffer)
