"""The result is collected in an array like the input."""

import numpy as np


def split_heads(x, n_heads):
    x = np.asarray(x, dtype=np.float64)
    batch, tokens, width = x.shape
    if n_heads < 1 or width % n_heads:
        raise ValueError("The heads do not divide the width.")
    return x.reshape(batch, tokens, n_heads, width // n_heads).transpose(0, 2, 1, 3)


def merge_heads(h):
    batch, n_heads, tokens, size = h.shape
    merged = np.empty_like(h, shape=(batch, tokens, n_heads * size))
    for head in range(n_heads):
        merged[:, :, head * size : (head + 1) * size] = h[:, head]
    return merged
