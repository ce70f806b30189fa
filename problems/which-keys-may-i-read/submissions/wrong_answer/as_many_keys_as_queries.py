"""A band: each query reads its own key and as many as there are queries."""

import numpy as np


def causal_keep(t_q, t_k):
    behind = np.arange(t_q)[:, None] + (t_k - t_q) - np.arange(t_k)
    return (behind >= 0) & (behind < t_q)
