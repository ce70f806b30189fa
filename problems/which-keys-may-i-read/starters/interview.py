"""Which keys each query of a causal model may read."""

import numpy as np


def causal_keep(t_q, t_k):
    """Return keep (t_q, t_k) for the last t_q tokens and t_k keys: True where a query may read a key."""
    query = np.arange(t_q)[:, None]
    key = np.arange(t_k)[None, :]

    keep = key < query
    keep[0, 0] = True  # the first query has something to read
    return keep
