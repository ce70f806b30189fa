"""The triangle of the chunk is put at its right place, and the keys before it stay False."""

import numpy as np


def causal_keep(t_q, t_k):
    keep = np.zeros((t_q, t_k), dtype=bool)
    both = min(t_q, t_k)
    keep[t_q - both :, t_k - both :] = np.tri(both, dtype=bool)
    return keep
