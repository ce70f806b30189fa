"""tril of a rectangle of ones."""

import numpy as np


def causal_keep(t_q, t_k):
    return np.tril(np.ones((t_q, t_k), dtype=bool))
