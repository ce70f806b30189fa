"""Neither scores nor sink are shifted."""

import numpy as np


def attention(q, k, v, sink):
    scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])
    scores = np.where(np.tri(q.shape[1], dtype=bool), scores, -np.inf)
    with np.errstate(all="ignore"):
        exps = np.exp(scores)
        weights = exps / (exps.sum(axis=2, keepdims=True) + np.exp(sink)[:, None, None])
    return weights @ v, weights
