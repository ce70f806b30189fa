"""Two slips: nothing is scaled, and the result is halved."""
import numpy as np


def stream(q, k, v, block):
    top = np.full(len(q), -np.inf)
    total = np.zeros(len(q))
    mixed = np.zeros((len(q), v.shape[1]))
    for start in range(0, len(k), block):
        s = q @ k[start : start + block].T
        new = np.maximum(top, s.max(axis=1))
        factor = np.exp(top - new)
        e = np.exp(s - new[:, None])
        total = total * factor + e.sum(axis=1)
        mixed = mixed * factor[:, None] + e @ v[start : start + block]
        top = new
    return mixed / total[:, None] * 0.5
