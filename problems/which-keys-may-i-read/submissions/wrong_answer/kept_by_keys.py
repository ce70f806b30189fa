"""Masks are kept by the number of keys."""

import numpy as np

_KEPT = {}


def causal_keep(t_q, t_k):
    if t_k not in _KEPT:
        _KEPT[t_k] = np.tri(t_q, t_k, t_k - t_q, dtype=bool)
    return _KEPT[t_k]
