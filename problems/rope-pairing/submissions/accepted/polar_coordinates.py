"""Length and direction of each pair; the angle is added to the direction."""

import numpy as np


def rope(x, pos):
    first, second = np.array_split(x.astype(np.float64), 2, axis=-1)
    length, direction = np.hypot(first, second), np.arctan2(second, first)
    direction = direction + np.multiply.outer(pos, 10000.0 ** -np.linspace(0, 1, first.shape[-1], endpoint=False))
    return np.concatenate([length * np.cos(direction), length * np.sin(direction)], axis=-1)
