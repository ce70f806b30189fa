"""Takes the larger count for the rows of the triangle and transposes."""

import numpy as np


def causal_keep(t_q, t_k):
    if t_q <= t_k:
        return np.tri(t_q, t_k, k=t_k - t_q, dtype=bool)
    return np.tri(t_k, t_q, k=t_q - t_k, dtype=bool).T
