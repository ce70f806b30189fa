"""Ones and zeros."""

import numpy as np


def causal_keep(t_q, t_k):
    return np.tri(t_q, t_k, t_k - t_q, dtype=np.int64)
