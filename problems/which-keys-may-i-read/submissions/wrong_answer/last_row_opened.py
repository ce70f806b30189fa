"""tril, with the last row opened."""

import numpy as np


def causal_keep(t_q, t_k):
    keep = np.tri(t_q, t_k, dtype=bool)
    keep[-1] = True
    return keep
