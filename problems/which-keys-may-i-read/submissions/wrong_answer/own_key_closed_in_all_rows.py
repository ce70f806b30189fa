"""The strict triangle with the right offset."""

import numpy as np


def causal_keep(t_q, t_k):
    return np.tri(t_q, t_k, t_k - t_q - 1, dtype=bool)
