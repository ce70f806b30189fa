"""Weights of causal attention."""

# Replace this by the starter with its faults repaired and nothing else changed: candidates see it in the end.

import numpy as np


def causal_weights(scores):
    """Return the weights (T, T) of scores (T, T): query by key."""
    tokens = len(scores)
    hidden = np.triu(np.ones((tokens, tokens), dtype=bool), k=1)
    masked = np.where(hidden, -np.inf, scores)
    exps = np.exp(masked - masked.max(axis=1, keepdims=True))
    return exps / exps.sum(axis=1, keepdims=True)
