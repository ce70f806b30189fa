"""Queries and keys are both counted backwards from the token that they share."""

import numpy as np


def causal_keep(t_q, t_k):
    query = np.arange(t_q - 1, -1, -1)
    key = np.arange(t_k - 1, -1, -1)
    return np.less_equal.outer(query, key)
