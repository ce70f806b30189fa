"""Softmax over the last axis, row by row."""

import numpy as np


def softmax(scores):
    """Return the weights of scores (..., K), in double precision."""
    scores = np.asarray(scores, dtype=np.float64)
    rows = scores.reshape(-1, scores.shape[-1])
    weights = np.empty_like(rows)
    for i, row in enumerate(rows):
        exponentials = np.exp(row - row.max())
        weights[i] = exponentials / exponentials.sum()
    return weights.reshape(scores.shape)
