import numpy as np


def rope(x, pos):
    half = x.shape[-1] // 2
    frequencies = 10000.0 ** (-np.arange(half) / half)
    angles = (pos + 1)[:, None] * frequencies
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., :half], x[..., half:]
    return np.concatenate([first * cos - second * sin, first * sin + second * cos], axis=-1)
