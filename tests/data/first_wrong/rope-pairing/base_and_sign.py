"""Two slips: the base is 1000, and the rotation is stretched."""
import numpy as np


def rope(x, pos):
    size = x.shape[-1]
    angles = pos[:, None] * 1000.0 ** (-2 * np.arange(size // 2) / size)
    first, second = x[..., : size // 2], x[..., size // 2 :]
    return 1.01 * np.concatenate(
        [first * np.cos(angles) - second * np.sin(angles), first * np.sin(angles) + second * np.cos(angles)], axis=-1
    )
