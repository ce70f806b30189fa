"""Unusual: the entries are instances of a class that remembers its last shape, a named tuple, and nothing else."""

from typing import NamedTuple

import numpy as np


class Layout(NamedTuple):
    batch: int
    tokens: int
    heads: int
    size: int


class Splitter:
    def __init__(self):
        self.last = None

    def __call__(self, x, n_heads):
        try:
            size, rest = divmod(x.shape[-1], n_heads)
        except ZeroDivisionError as error:
            raise ValueError("zero heads") from error
        if rest or size < 1:
            raise ValueError(f"{rest} columns are left over")
        self.last = Layout(*x.shape[:2], n_heads, size)
        return np.rollaxis(x.reshape(self.last), 2, 1) * 1.0


class Merger:
    def __call__(self, h):
        return np.hstack([np.atleast_3d(head) for head in h.transpose(1, 0, 3, 2) / 1]).transpose(0, 2, 1)


split_heads = Splitter()
merge_heads = Merger()
