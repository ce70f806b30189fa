"""Weights of causal attention, one named step per stage of the audit."""

# Replace this by your solution: plain, slow if need be, in float64. The expected outputs of all cases come from it.

import numpy as np


def causal_weights(scores):
    allowed = np.tri(len(scores), dtype=bool)
    masked_scores = np.where(allowed, scores, -np.inf)
    exps = np.exp(masked_scores - masked_scores.max(axis=1, keepdims=True))
    weights = exps / exps.sum(axis=1, keepdims=True)
    return weights
