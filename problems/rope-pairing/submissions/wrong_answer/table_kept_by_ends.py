import numpy as np

_TABLES = {}


def rope(x, pos):
    half = x.shape[-1] // 2
    frequencies = 10000.0 ** (-np.arange(half) / half)
    angles = pos[:, None] * frequencies
    cos, sin = _TABLES.setdefault((half, len(pos), int(pos[0]), int(pos[-1])), (np.cos(angles), np.sin(angles)))
    first, second = x[..., :half], x[..., half:]
    return np.concatenate([first * cos - second * sin, first * sin + second * cos], axis=-1)
