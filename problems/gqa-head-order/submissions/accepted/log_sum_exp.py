"""Weights are exp of a difference from the log-sum-exp of the row, in extended precision."""

import numpy as np


def gqa(q, k, v):
    members = q.shape[1] // k.shape[1]
    scores = np.einsum("bhid,bhjd->bhij", q, np.repeat(k, members, axis=1)).astype(np.longdouble) / np.sqrt(q.shape[-1])
    weights = np.zeros(scores.shape, dtype=np.longdouble)
    for i in range(q.shape[2]):
        row = scores[:, :, i, : i + 1]
        weights[:, :, i, : i + 1] = np.exp(row - np.logaddexp.reduce(row, axis=-1, keepdims=True))
    return weights @ np.repeat(v, members, axis=1), weights
