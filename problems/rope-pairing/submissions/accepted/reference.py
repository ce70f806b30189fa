"""Rotation of the pairs (i, i + d/2), pair by pair and token by token."""

import math

import numpy as np


def rope(x, pos):
    """Return x (..., T, d), turned by the positions pos (T,)."""
    x = np.asarray(x, dtype=np.float64)
    size = x.shape[-1]
    rotated = np.zeros(x.shape)
    for token, position in enumerate(pos.tolist()):
        for i in range(size // 2):
            angle = position * 10000.0 ** (-2 * i / size)
            first, second = x[..., token, i], x[..., token, i + size // 2]
            rotated[..., token, i] = first * math.cos(angle) - second * math.sin(angle)
            rotated[..., token, i + size // 2] = first * math.sin(angle) + second * math.cos(angle)
    return rotated
