"""One d by d matrix for each token: cosines on the diagonal, sines d/2 beside it."""

import numpy as np


def rope(x, pos):
    size = x.shape[-1]
    half = size // 2
    angles = pos[:, None] * np.logspace(0, -4, half, endpoint=False)
    turn = np.zeros((len(pos), size, size))
    i = np.arange(half)
    turn[:, i, i] = turn[:, i + half, i + half] = np.cos(angles)
    turn[:, i + half, i] = np.sin(angles)
    turn[:, i, i + half] = -np.sin(angles)
    return np.einsum("tij,...tj->...ti", turn, x)
