"""Unusual: row by row, only the surviving keys are gathered and mixed; results in long double."""

import numpy as np


def attention(q, k, v, live, rate, training):
    q, k, v = (array.astype(np.longdouble) for array in (q, k, v))
    keep = 1 - np.longdouble(rate) if training else np.longdouble(1)
    h, weights = np.zeros_like(v), np.zeros((len(q), len(q)), dtype=np.longdouble)
    for i, query in enumerate(q):
        scores = k @ query / np.sqrt(np.longdouble(len(query)))
        weights[i] = np.exp(scores - scores.max())
        weights[i] /= weights[i].sum()
        survivors = np.flatnonzero(live[i]) if training else np.arange(len(q))
        h[i] = weights[i, survivors] @ v[survivors] / keep
    return h, weights
