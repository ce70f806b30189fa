import numpy as np


def rope(x, pos):
    half = x.shape[-1] // 2
    frequencies = 10000.0 ** (-np.arange(half) / half)
    angles = pos[:, None] * frequencies
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = x[..., :half], x[..., : half - 1 : -1]
    turned = [first * cos - second * sin, (first * sin + second * cos)[..., ::-1]]
    return np.concatenate(turned, axis=-1)
