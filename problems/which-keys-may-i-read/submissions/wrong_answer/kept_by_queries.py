"""Masks are kept by the number of queries."""

import numpy as np

_KEPT = {}


def causal_keep(t_q, t_k):
    if t_q not in _KEPT:
        _KEPT[t_q] = np.tri(t_q, t_k, t_k - t_q, dtype=bool)
    return _KEPT[t_q]
