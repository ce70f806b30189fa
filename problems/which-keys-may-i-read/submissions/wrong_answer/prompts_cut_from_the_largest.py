"""Squares are cut from the largest one so far: last rows, first columns."""

import numpy as np

_SQUARE = np.tri(1, dtype=bool)


def causal_keep(t_q, t_k):
    global _SQUARE
    if t_q != t_k:
        return np.tri(t_q, t_k, t_k - t_q, dtype=bool)
    if len(_SQUARE) < t_q:
        _SQUARE = np.tri(t_q, dtype=bool)
    return _SQUARE[-t_q:, :t_k]
