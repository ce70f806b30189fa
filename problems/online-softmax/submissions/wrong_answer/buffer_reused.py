import numpy as np

_BUFFERS = {}


def stream(q, k, v, block):
    scores = q @ k.T / np.sqrt(q.shape[1])
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    buffer = _BUFFERS.setdefault((len(q), v.shape[1]), np.empty((len(q), v.shape[1])))
    return np.divide(exps @ v, exps.sum(axis=1, keepdims=True), out=buffer)
