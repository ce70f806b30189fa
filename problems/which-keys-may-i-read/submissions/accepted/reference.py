"""The definition, pair by pair."""

import numpy as np


def causal_keep(t_q, t_k):
    keep = np.zeros((t_q, t_k), dtype=bool)
    for i in range(t_q):
        for j in range(t_k):
            keep[i, j] = j <= i + t_k - t_q
    return keep
