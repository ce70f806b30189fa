"""A pair is a complex number, and turning it is a product."""

import numpy as np


def rope(x, pos):
    half = x.shape[-1] // 2
    pairs = x[..., :half] + 1j * x[..., half:]
    pairs = pairs * np.exp(1j * np.outer(pos, 10000.0 ** -(np.arange(half) / half)))
    return np.concatenate([pairs.real, pairs.imag], axis=-1)
