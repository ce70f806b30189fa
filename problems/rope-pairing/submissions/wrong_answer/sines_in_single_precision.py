import numpy as np


def rope(x, pos):
    half = x.shape[-1] // 2
    frequencies = 10000.0 ** (-np.arange(half) / half)
    angles = pos[:, None] * frequencies
    cos, sin = (wave(angles).astype(np.float32).astype(np.float64) for wave in (np.cos, np.sin))
    first, second = x[..., :half], x[..., half:]
    return np.concatenate([first * cos - second * sin, first * sin + second * cos], axis=-1)
