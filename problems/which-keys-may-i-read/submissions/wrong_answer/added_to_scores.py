"""Zeros and minus infinities, ready to be added."""

import numpy as np


def causal_keep(t_q, t_k):
    keep = np.tri(t_q, t_k, t_k - t_q, dtype=bool)
    return np.where(keep, 0.0, -np.inf)
