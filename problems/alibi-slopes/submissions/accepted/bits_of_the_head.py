"""Unusual: exponents are counted in n-ths of 4 by bit operations, and ldexp makes the whole part of each power."""

import math

import numpy as np


def exponent(head, n):
    return (head + 1) << 1 if head < n else ((head ^ n) << 1) | 1


def alibi_bias(n_heads, T):
    n = 1 << (n_heads.bit_length() - 1)
    slopes = []
    for head in range(n_heads):
        whole, rest = divmod(4 * exponent(head, n), n)
        slopes.append(math.ldexp(2.0 ** (-rest / n), -whole))
    return np.multiply.outer(slopes, np.subtract.outer(np.arange(T), np.arange(T)) * -1.0)
