"""Which keys each query of a causal model may read."""

import numpy as np


def causal_keep(t_q, t_k):
    """Return keep (t_q, t_k) for the last t_q tokens and t_k keys: True where a query may read a key."""
    cached = t_k - t_q
    position = cached + np.arange(t_q)

    keep = np.less.outer(np.arange(t_k), position).T
    keep[0, 0] = True
    return keep
