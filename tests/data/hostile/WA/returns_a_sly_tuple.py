"""Returns a tuple whose iteration lies."""

import numpy as np


class Sly(tuple):
    _fields = ("y", "weights")

    def __iter__(self):
        return iter([np.zeros(1)] * 10**6)

    def __len__(self):
        return 2


def attend(x, w):
    return Sly([np.zeros(1)])


def visible(lengths, n_tokens):
    return np.arange(n_tokens) < lengths[:, None]
