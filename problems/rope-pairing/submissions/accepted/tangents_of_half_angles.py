"""Cosine and sine from the tangent of half the angle."""

import numpy as np


def rope(x, pos):
    size = x.shape[-1]
    half = size // 2
    frequencies = np.exp(np.arange(half) * (-2.0 * np.log(10000.0) / size))
    angles = pos[:, None] * frequencies
    t = np.tan(angles / 2)
    cos, sin = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
    first, second = x[..., :half], x[..., half:]
    return np.concatenate([first * cos - second * sin, first * sin + second * cos], axis=-1)
