"""Which keys each query of a causal model may read."""

import numpy as np


def causal_keep(t_q, t_k):
    """Return keep (t_q, t_k) for the last t_q tokens and t_k keys: True where a query may read a key."""
    return np.tri(t_q, t_k, dtype=bool)
