"""Rotary position embedding of queries and keys."""

import numpy as np


def rope(x, pos):
    """Turn the features of x (..., T, d) by the positions pos (T,) of their tokens."""
    size = x.shape[-1]
    half = size // 2
    frequencies = 10000.0 ** (-2 * np.arange(half) / size)
    angles = pos[:, None] * frequencies  # (T, d/2)
    cos, sin = np.cos(angles), np.sin(angles)

    first, second = x[..., :half], x[..., half:]
    rotated = np.empty(x.shape)
    rotated[..., :half] = first * cos - second * sin
    rotated[..., half:] = first * sin + second * cos
    return rotated
