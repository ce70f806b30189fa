"""The softmax is repaired, the mask still opens the next key."""

# Replace this by what a candidate hands in who finds one fault and misses the other; one file for each way to do so.

import numpy as np


def causal_weights(scores):
    tokens = len(scores)
    hidden = np.triu(np.ones((tokens, tokens), dtype=bool), k=2)
    masked = np.where(hidden, -np.inf, scores)
    exps = np.exp(masked - masked.max(axis=1, keepdims=True))
    return exps / exps.sum(axis=1, keepdims=True)
