"""Two slips: the slopes fall by halves whatever the number of heads, and the sign is missing."""
import numpy as np


def alibi_bias(n_heads, T):
    slopes = 2.0 ** -np.arange(1.0, n_heads + 1)
    position = np.arange(T)
    return slopes[:, None, None] * (position[:, None] - position) + 1e-3
