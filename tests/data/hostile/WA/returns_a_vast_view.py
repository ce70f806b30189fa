"""Returns exabytes that are one number."""

import numpy as np


def attend(x, w):
    return np.broadcast_to(1.0, (1 << 25, 1 << 25)), np.broadcast_to(1.0, (1 << 25, 1 << 25))


def visible(lengths, n_tokens):
    return np.arange(n_tokens) < lengths[:, None]
