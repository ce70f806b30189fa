"""Unusual: read-only views with strides written by hand; copies only where the dtype or the merge needs one."""

import numpy as np
from numpy.lib.stride_tricks import as_strided


def split_heads(x, n_heads):
    if n_heads < 1:
        raise ValueError("no heads")
    size, rest = divmod(x.shape[2], n_heads)
    if rest or not size:
        raise ValueError("columns are left over")
    if x.dtype == np.int64:
        x = x.astype(np.float64)
    item, token, column = x.strides
    shape = (x.shape[0], n_heads, x.shape[1], size)
    return as_strided(x, shape, (item, size * column, token, column), writeable=False)


def merge_heads(h):
    if h.dtype == np.int64:
        h = h.astype(np.float64)
    turned = h.swapaxes(1, 2)
    merged = turned.reshape(*turned.shape[:2], -1)
    merged = merged.view()
    merged.flags.writeable = False
    return merged
