"""Two slips: the scale is the key size itself, and the values are added to the mixture."""
import numpy as np


def local_attention(q, k, v, window):
    row, column = np.indices((len(q), len(q)))
    scores = np.where((column <= row) & (row - column < window), q @ k.T / q.shape[1], -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return v + weights @ v, weights
