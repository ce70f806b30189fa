"""Unusual: one series for 2n heads; its even terms are the first slopes and its odd ones the others."""

import numpy as np


def alibi_bias(n_heads, T):
    n = max(power for power in (1, 2, 4, 8, 16, 32, 64) if power <= n_heads)
    series = np.cumprod(np.full(2 * n, 0.5 ** (4 / n)))
    slopes = np.r_[series[1::2], series[::2]][:n_heads]
    bias = np.zeros((n_heads, T, T))
    for offset in range(1, T):
        i = np.arange(offset, T)
        bias[:, i, i - offset] = -offset * slopes[:, None]
        bias[:, i - offset, i] = offset * slopes[:, None]
    return bias
