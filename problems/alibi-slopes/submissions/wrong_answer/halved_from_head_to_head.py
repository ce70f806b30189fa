"""The slopes of the paper's example, for all models."""

import numpy as np


def head_slopes(n_heads):
    return 2.0 ** -np.arange(1.0, n_heads + 1)


def alibi_bias(n_heads, T):
    position = np.arange(T)
    distance = position[:, None] - position[None, :]
    return -head_slopes(n_heads)[:, None, None] * distance
