"""A recursion over the tokens of all items, deeper than Python allows."""

import numpy as np


def split_heads(x, n_heads):
    x = np.asarray(x, dtype=np.float64)
    batch, tokens, width = x.shape
    if n_heads < 1 or width % n_heads:
        raise ValueError("The heads do not divide the width.")
    return x.reshape(batch, tokens, n_heads, width // n_heads).transpose(0, 2, 1, 3)


def columns_of(tokens):
    return [] if not tokens else [tokens[0].ravel(), *columns_of(tokens[1:])]


def merge_heads(h):
    h = np.asarray(h, dtype=np.float64)
    batch, n_heads, tokens, size = h.shape
    rows = columns_of([h[item, :, token] for item in range(batch) for token in range(tokens)])
    return np.array(rows).reshape(batch, tokens, n_heads * size)
