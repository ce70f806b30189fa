"""Angles, cosines and sines in double precision; the products have the precision of x."""

import numpy as np


def rope(x, pos):
    size = x.shape[-1]
    half = size // 2
    frequencies = 10000.0 ** (-2.0 * np.arange(half) / size)
    angles = pos[:, None] * frequencies
    cos, sin = np.cos(angles).astype(x.dtype), np.sin(angles).astype(x.dtype)
    first, second = x[..., :half], x[..., half:]
    return np.concatenate([first * cos - second * sin, first * sin + second * cos], axis=-1)
