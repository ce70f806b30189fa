"""The mask is right and a matrix, which is a subclass."""

import numpy as np


def causal_keep(t_q, t_k):
    return np.asmatrix(np.tri(t_q, t_k, t_k - t_q, dtype=bool))
