"""How many keys a query reads is looked up among the keys by their position; the row is filled up to there."""

import numpy as np


def causal_keep(t_q, t_k):
    position = np.arange(t_k - t_q, t_k)
    count = np.searchsorted(np.arange(t_k), position, side="right")
    keep = np.zeros((t_q, t_k), dtype=bool)
    for row, end in zip(keep, count):
        row[:end] = True
    return keep
