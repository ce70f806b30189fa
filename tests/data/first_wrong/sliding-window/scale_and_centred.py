"""Two slips: nothing is scaled, and the values are centred."""
import numpy as np


def local_attention(q, k, v, window):
    row, column = np.indices((len(q), len(q)))
    scores = np.where((column <= row) & (row - column < window), q @ k.T, -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return weights @ (v - v.mean(axis=0)), weights
