"""The mask is repaired, the softmax still normalises over the queries."""

# Replace this like next_key_open.py. Further wrong sources need no planted fault: one fault each, `left: []`.

import numpy as np


def causal_weights(scores):
    tokens = len(scores)
    hidden = np.triu(np.ones((tokens, tokens), dtype=bool), k=1)
    masked = np.where(hidden, -np.inf, scores)
    exps = np.exp(masked - masked.max(axis=0))
    return exps / exps.sum(axis=0)
