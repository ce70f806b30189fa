import numpy as np


def stream(q, k, v, block):
    q *= 1 / np.sqrt(q.shape[1])
    scores = q @ k.T
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exps @ v / exps.sum(axis=1, keepdims=True)
