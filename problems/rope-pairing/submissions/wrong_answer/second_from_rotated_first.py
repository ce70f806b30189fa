import numpy as np


def rope(x, pos):
    half = x.shape[-1] // 2
    frequencies = 10000.0 ** (-np.arange(half) / half)
    angles = pos[:, None] * frequencies
    cos, sin = np.cos(angles), np.sin(angles)
    rotated = np.array(x, dtype=np.float64)
    first, second = rotated[..., :half], rotated[..., half:]
    first[...] = first * cos - second * sin
    second[...] = first * sin + second * cos
    return rotated
