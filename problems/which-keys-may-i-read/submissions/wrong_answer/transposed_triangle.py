"""A triangle of keys by queries, transposed because there are more keys."""

import numpy as np


def causal_keep(t_q, t_k):
    return np.tril(np.ones((t_k, t_q), dtype=bool)).T
