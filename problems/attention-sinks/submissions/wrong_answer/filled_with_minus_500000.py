"""Hidden scores are filled with -500000."""

import numpy as np


def attention(q, k, v, sink):
    tokens, size = q.shape[1:]
    scores = q @ k.swapaxes(1, 2) / np.sqrt(size)
    scores = np.where(np.tri(tokens, dtype=bool), scores, -5e5)

    column = sink[:, None, None]  # one more score in each row, which has no value
    best = np.maximum(scores.max(axis=2, keepdims=True), column)
    exps = np.exp(scores - best)
    total = exps.sum(axis=2, keepdims=True) + np.exp(column - best)

    weights = exps / total
    h = exps @ v / total
    return h, weights
