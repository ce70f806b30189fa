"""A table of eight names, for twelve heads."""

import numpy as np

NAMES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def split_heads(x, n_heads):
    x = np.asarray(x, dtype=np.float64)
    batch, tokens, width = x.shape
    if n_heads < 1 or width % n_heads:
        raise ValueError("The heads do not divide the width.")
    named = {NAMES[head]: block for head, block in enumerate(np.split(x, n_heads, axis=-1))}
    return np.stack(list(named.values()), axis=1)


def merge_heads(h):
    h = np.asarray(h, dtype=np.float64)
    return np.concatenate([h[:, head] for head in range(h.shape[1])], axis=-1)
