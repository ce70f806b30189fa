"""The offset is queries minus keys."""

import numpy as np


def causal_keep(t_q, t_k):
    return np.tri(t_q, t_k, t_q - t_k, dtype=bool)
