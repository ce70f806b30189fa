"""Rotary position embedding of queries and keys."""

import numpy as np


def rope(x, pos):
    """Turn the features of x (..., T, d) by the positions pos (T,) of their tokens."""
    size = x.shape[-1]
    frequencies = 10000.0 ** (-np.arange(size // 2) / size)
    angles = pos[:, None] * frequencies  # (T, d/2)
    cos, sin = np.cos(angles), np.sin(angles)

    first, second = x[..., 0::2], x[..., 1::2]
    rotated = np.empty(x.shape)
    rotated[..., 0::2] = first * cos - second * sin
    rotated[..., 1::2] = first * sin + second * cos
    return rotated
