"""Rotary position embedding of queries and keys."""

import numpy as np

BASE = 10000.0


def turn(x):
    """Turn each pair of features by a quarter."""
    return np.stack([-x[..., 1::2], x[..., 0::2]], axis=-1).reshape(x.shape)


def rope(x, pos):
    """Turn the features of x (..., T, d) by the positions pos (T,) of their tokens."""
    size = x.shape[-1]
    frequencies = BASE ** (-np.arange(0, size, 2) / size)
    angles = np.repeat(np.outer(pos, frequencies), 2, axis=1)  # (T, d)
    return x * np.cos(angles) + turn(x) * np.sin(angles)
