"""Unusual: answers are remembered, by everything that they depend on, and cannot be written to."""

import numpy as np

ANSWERS = {}


def remembered(key, make):
    """The answer to a question, which is worked out once."""
    if key not in ANSWERS:
        ANSWERS[key] = make().copy()
        ANSWERS[key].flags.writeable = False
    return ANSWERS[key]


def split_heads(x, n_heads):
    batch, tokens, width = x.shape
    if n_heads < 1 or width % n_heads:
        raise ValueError("The heads do not divide the width.")
    key = (x.dtype.str, x.shape, n_heads, x.tobytes())
    return remembered(key, lambda: (x / 1).reshape(batch, tokens, n_heads, -1).swapaxes(1, 2))


def merge_heads(h):
    batch, _, tokens, _ = h.shape
    key = (h.dtype.str, h.shape, h.tobytes())
    return remembered(key, lambda: (h / 1).swapaxes(1, 2).reshape(batch, tokens, -1))
