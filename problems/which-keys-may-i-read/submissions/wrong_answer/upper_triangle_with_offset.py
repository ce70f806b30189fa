"""triu with the right offset."""

import numpy as np


def causal_keep(t_q, t_k):
    return np.triu(np.ones((t_q, t_k), dtype=bool), k=t_k - t_q)
