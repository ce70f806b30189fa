"""The triangle of the chunk comes first, the cache, all open, behind it."""

import numpy as np


def causal_keep(t_q, t_k):
    keep = np.ones((t_q, t_k), dtype=bool)
    both = min(t_q, t_k)
    keep[:, :both] = np.tri(t_q, both, dtype=bool)
    return keep
