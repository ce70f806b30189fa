"""Computed and returned in extended precision; the axis is put back by indexing."""

import numpy as np


def softmax(scores):
    wide = np.asarray(scores, dtype=np.longdouble)
    exps = np.exp(wide - wide.max(axis=-1)[..., np.newaxis])
    return exps / exps.sum(axis=-1)[..., np.newaxis]
