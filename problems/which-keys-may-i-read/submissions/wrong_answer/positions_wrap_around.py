"""Negative positions index from the end, as indices do."""

import numpy as np


def causal_keep(t_q, t_k):
    table = np.tri(t_k, dtype=bool)
    return table[np.arange(t_k - t_q, t_k) % t_k]
