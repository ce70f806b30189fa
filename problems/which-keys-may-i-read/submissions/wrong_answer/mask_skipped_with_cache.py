"""Behind a cache nothing is masked."""

import numpy as np


def causal_keep(t_q, t_k):
    if t_k > t_q:
        return np.ones((t_q, t_k), dtype=bool)
    return np.tri(t_q, t_k, t_k - t_q, dtype=bool)
