"""More queries than keys are taken for a mistake of the caller."""

import numpy as np


def causal_keep(t_q, t_k):
    if t_q > t_k:
        raise ValueError("there are more queries than keys")
    return np.tri(t_q, t_k, t_k - t_q, dtype=bool)
