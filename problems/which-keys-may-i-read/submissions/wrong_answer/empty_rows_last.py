"""A square triangle, filled up with empty rows below."""

import numpy as np


def causal_keep(t_q, t_k):
    if t_q > t_k:
        empty = np.zeros((t_q - t_k, t_k), dtype=bool)
        return np.concatenate([np.tri(t_k, dtype=bool), empty])
    return np.tri(t_q, t_k, k=t_k - t_q, dtype=bool)
