"""Rotary position embedding of queries and keys."""

import numpy as np


def rotation(pos, pairs):
    """Cosines and sines, (T, pairs) each."""
    exponents = np.arange(pairs) / (2 * pairs)
    angles = pos[:, None] / 10000.0**exponents
    return np.cos(angles), np.sin(angles)


def rope(x, pos):
    """Turn the features of x (..., T, d) by the positions pos (T,) of their tokens."""
    first, second = np.split(x, 2, axis=-1)
    cos, sin = rotation(pos, first.shape[-1])
    return np.concatenate([first * cos - second * sin, first * sin + second * cos], axis=-1)
