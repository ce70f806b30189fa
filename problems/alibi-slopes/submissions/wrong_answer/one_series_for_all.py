"""The sign is repaired; one series runs through all heads."""

import numpy as np


def head_slopes(n_heads):
    step = 2.0 ** (-8.0 / n_heads)
    return step ** np.arange(1, n_heads + 1)


def alibi_bias(n_heads, T):
    position = np.arange(T)
    distance = position[:, None] - position[None, :]
    return -head_slopes(n_heads)[:, None, None] * distance
