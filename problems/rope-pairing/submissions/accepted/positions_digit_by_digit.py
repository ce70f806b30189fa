"""Rotations of 1, 2, 4, ... positions are multiplied up: a token is turned once for each bit of its position."""

import numpy as np


def rope(x, pos):
    half = x.shape[-1] // 2
    step = np.exp(1j * 10000.0 ** (-2.0 * np.arange(half) / x.shape[-1]))
    turn = np.ones((len(pos), half), dtype=complex)
    for bit in range(int(pos.max()).bit_length()):
        turn[pos >> bit & 1 == 1] *= step
        step = step * step
    pairs = (x[..., :half] + 1j * x[..., half:]) * turn
    return np.concatenate([pairs.real, pairs.imag], axis=-1)
