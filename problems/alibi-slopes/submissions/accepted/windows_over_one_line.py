"""Unusual: one line of 2T - 1 numbers per head, of which each query sees its own stretch."""

import numpy as np


def alibi_bias(n_heads, T):
    n = 2 ** int(np.floor(np.log2(n_heads)))
    heads = np.arange(n_heads)
    exponents = np.where(heads < n, 8 * (heads + 1), 4 * (2 * (heads - n) + 1)) / n
    lines = np.exp2(-exponents)[:, None] * np.arange(1 - T, T)
    stretches = np.lib.stride_tricks.sliding_window_view(lines, T, axis=1)
    return stretches[:, ::-1].copy()
