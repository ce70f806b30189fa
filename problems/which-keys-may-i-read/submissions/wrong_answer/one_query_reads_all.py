"""A single query reads everything; the rest is tril."""

import numpy as np


def causal_keep(t_q, t_k):
    if t_q == 1:
        return np.ones((t_q, t_k), dtype=bool)
    return np.tril(np.ones((t_q, t_k), dtype=bool))
