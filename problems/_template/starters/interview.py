"""Weights of causal attention."""

# Replace all of this by the buggy file that you give out. Its comments and names must not point at the faults.

import numpy as np


def causal_weights(scores):
    """Return the weights (T, T) of scores (T, T): query by key."""
    tokens = len(scores)
    hidden = np.triu(np.ones((tokens, tokens), dtype=bool), k=2)
    masked = np.where(hidden, -np.inf, scores)
    exps = np.exp(masked - masked.max(axis=0))
    return exps / exps.sum(axis=0)
