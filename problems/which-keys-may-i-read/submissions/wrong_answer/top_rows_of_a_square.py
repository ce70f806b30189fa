"""A square is made and its first rows, last columns are taken."""

import numpy as np


def causal_keep(t_q, t_k):
    size = max(t_q, t_k)
    return np.tri(size, dtype=bool)[:t_q, size - t_k :]
