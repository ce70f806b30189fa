"""The heads are kept by name, and names are sorted as text."""

import numpy as np


def split_heads(x, n_heads):
    x = np.asarray(x, dtype=np.float64)
    batch, tokens, width = x.shape
    if n_heads < 1 or width % n_heads:
        raise ValueError("The heads do not divide the width.")
    size = width // n_heads
    named = {str(head): x[:, :, head * size : (head + 1) * size] for head in range(n_heads)}
    return np.stack([named[name] for name in sorted(named)], axis=1)


def merge_heads(h):
    h = np.asarray(h, dtype=np.float64)
    batch, n_heads, tokens, size = h.shape
    named = {str(head): h[:, head] for head in range(n_heads)}
    return np.concatenate([named[name] for name in sorted(named)], axis=-1)
