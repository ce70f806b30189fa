"""Each row is filled up to its own key by a slice, whose end may be negative."""

import numpy as np


def causal_keep(t_q, t_k):
    keep = np.zeros((t_q, t_k), dtype=bool)
    for i in range(t_q):
        keep[i, : i + t_k - t_q + 1] = True
    return keep
