"""The linear position bias, number by number as it is defined."""

import numpy as np


def slope_of(head, n_heads):
    """Return the slope of one head."""
    n = 1
    while 2 * n <= n_heads:
        n *= 2
    if head < n:
        return 2.0 ** (-8 * (head + 1) / n)
    return 2.0 ** (-4 * (2 * (head - n) + 1) / n)


def alibi_bias(n_heads, T):
    """Return the bias (H, T, T)."""
    bias = np.zeros((n_heads, T, T))
    for head in range(n_heads):
        slope = slope_of(head, n_heads)
        for i in range(T):
            for j in range(T):
                bias[head, i, j] = -slope * (i - j)
    return bias
