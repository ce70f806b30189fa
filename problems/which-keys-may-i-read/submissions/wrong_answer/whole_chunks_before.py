"""Counts the chunks that came before, all of them as long as this one."""

import numpy as np


def causal_keep(t_q, t_k):
    if t_k < t_q:
        return np.tri(t_q, t_k, k=t_k - t_q, dtype=bool)
    chunks_before = t_k // t_q - 1
    query = chunks_before * t_q + np.arange(t_q)
    return np.arange(t_k) <= query[:, None]
