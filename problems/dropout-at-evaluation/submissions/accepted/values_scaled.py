"""Unusual: the factor goes to the values, and the pattern to a copy of the exponentials."""

import numpy as np


def attention(q, k, v, live, rate, training):
    scores = np.einsum("id,jd->ij", q, k) * q.shape[1] ** -0.5
    exps = np.exp(scores - np.amax(scores, axis=1)[:, None])
    totals = exps.sum(axis=1)
    alive = exps.copy()
    if training:
        alive[~live] = 0.0
        v = v / (1 - rate)
    return (alive @ v) / totals[:, None], exps / totals[:, None]
