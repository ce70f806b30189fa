"""One pass with a running maximum and a rescaled total, a second one for the weights."""

import numpy as np


def softmax(scores):
    scores = np.asarray(scores, dtype=np.float64)
    best, total = np.full(scores.shape[:-1], -1e300), np.zeros(scores.shape[:-1])
    for j in range(scores.shape[-1]):
        higher = np.maximum(best, scores[..., j])
        total = total * np.exp(best - higher) + np.exp(scores[..., j] - higher)
        best = higher
    return np.exp(scores - best[..., None]) / total[..., None]
