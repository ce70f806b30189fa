"""Each weight is one over the sum of exponentials of differences; a sum that overflows belongs to a weight of 0."""

import numpy as np


def softmax(scores):
    scores = np.asarray(scores, dtype=np.float64)
    difference = scores[..., None, :] - np.where(np.isneginf(scores), 0.0, scores)[..., None]
    with np.errstate(over="ignore"):
        weights = 1.0 / np.exp(difference).sum(axis=-1)
    return np.where(np.isneginf(scores), 0.0, weights)
