"""The tokens come one after the other, oldest first; keys and queries that are not asked for are dropped."""

import numpy as np


def causal_keep(t_q, t_k):
    tokens = max(t_q, t_k)
    keep = np.zeros((t_q, t_k), dtype=bool, order="F")
    for token in range(tokens):
        query, last = token - (tokens - t_q), token - (tokens - t_k)
        if query >= 0:
            keep[query, : max(last + 1, 0)] = True
    return keep
