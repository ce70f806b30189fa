"""Unusual: answers are kept by heads and tokens, and handed out as copies."""

import functools

import numpy as np


@functools.lru_cache(maxsize=None)
def _kept(n_heads, T):
    n = 2 ** (n_heads.bit_length() - 1)
    heads = np.arange(n_heads, dtype=np.float64)
    exponents = np.where(heads < n, heads + 1, heads - n + 0.5) * (8 / n)
    return np.einsum("h,q,k->hqk", 2.0**-exponents, np.ones(T), np.arange(T)) - np.einsum(
        "h,q,k->hqk", 2.0**-exponents, np.arange(T), np.ones(T)
    )


def alibi_bias(n_heads, T):
    return _kept(n_heads, T).copy()
