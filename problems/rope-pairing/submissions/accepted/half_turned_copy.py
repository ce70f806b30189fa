"""x cos + turned x sin, where the turned copy is (-second half, first half) and angles are tiled."""

import numpy as np


def rope(x, pos):
    x = x.astype(np.float64)
    size = x.shape[-1]
    angles = np.tile(np.outer(pos, 1.0 / 10000.0 ** (np.arange(0, size, 2) / size)), 2)
    turned = np.roll(x, size // 2, axis=-1) * np.repeat([-1.0, 1.0], size // 2)
    return x * np.cos(angles) + turned * np.sin(angles)
