import numpy as np


def rope(x, pos):
    half = x.shape[-1] // 2
    frequencies = 10000.0 ** (-np.arange(half) / half)
    angles = pos[:, None] * frequencies
    angles = np.repeat(angles, 2, axis=1)
    turned = np.concatenate([-x[..., half:], x[..., :half]], axis=-1)
    return x * np.cos(angles) + turned * np.sin(angles)
