"""Masks are kept by the pair of counts, whichever is which."""

import numpy as np

_KEPT = {}


def causal_keep(t_q, t_k):
    counts = frozenset((t_q, t_k))
    if counts not in _KEPT:
        _KEPT[counts] = np.tri(t_q, t_k, t_k - t_q, dtype=bool)
    return _KEPT[counts]
