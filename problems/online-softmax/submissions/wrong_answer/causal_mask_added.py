import numpy as np


def stream(q, k, v, block):
    scores = q @ k.T / np.sqrt(q.shape[1])
    scores = np.where(np.tri(len(q), len(k), dtype=bool), scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exps @ v / exps.sum(axis=1, keepdims=True)
