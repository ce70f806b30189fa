"""What is hidden is the transposed triangle of keys that come later; the rest may be read."""

import numpy as np


def causal_keep(t_q, t_k):
    later = np.tri(t_k, t_q, t_q - t_k - 1, dtype=bool).T
    return ~later
