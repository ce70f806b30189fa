"""Features are permuted so that pairs are neighbours, turned as neighbours, and permuted back."""

import numpy as np


def _turn_neighbours(x, pos):
    angles = np.outer(pos, np.exp(-np.log(10000.0) * np.arange(0, x.shape[-1], 2) / x.shape[-1]))
    even, odd = x[..., 0::2], x[..., 1::2]
    turned = [even * np.cos(angles) - odd * np.sin(angles), even * np.sin(angles) + odd * np.cos(angles)]
    return np.stack(turned, axis=-1).reshape(x.shape)


def rope(x, pos):
    order = np.arange(x.shape[-1]).reshape(2, -1).T.ravel()  # 0, d/2, 1, d/2 + 1, ...
    return _turn_neighbours(x[..., order], pos)[..., np.argsort(order)]
