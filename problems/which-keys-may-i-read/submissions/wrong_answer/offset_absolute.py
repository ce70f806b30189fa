"""The offset is the distance of the counts."""

import numpy as np


def causal_keep(t_q, t_k):
    query = np.arange(t_q)[:, None] + abs(t_k - t_q)
    return np.arange(t_k) <= query
