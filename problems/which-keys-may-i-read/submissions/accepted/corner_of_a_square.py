"""The lower right corner of a square triangle that is large enough for both counts."""

import numpy as np


def causal_keep(t_q, t_k):
    size = max(t_q, t_k)
    return np.tri(size, dtype=bool)[-t_q:, -t_k:]
