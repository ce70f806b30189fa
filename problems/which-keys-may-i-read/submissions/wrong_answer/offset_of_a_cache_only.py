"""The offset counts cached keys, of which there are none if there are more queries than keys."""

import numpy as np


def causal_keep(t_q, t_k):
    cached = max(t_k - t_q, 0)
    return np.tri(t_q, t_k, cached, dtype=bool)
