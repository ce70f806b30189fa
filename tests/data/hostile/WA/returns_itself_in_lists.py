"""Returns a list that holds itself."""

import numpy as np


def attend(x, w):
    endless = []
    endless.append(endless)
    return endless, endless


def visible(lengths, n_tokens):
    return np.arange(n_tokens) < lengths[:, None]
