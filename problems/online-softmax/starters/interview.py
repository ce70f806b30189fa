"""Attention over keys that come in blocks: one pass, and never a whole row of scores."""

import numpy as np


def blocks_of(length, size):
    """Yield the slices that cut `length` keys into blocks of `size`; the last one may be shorter."""
    for start in range(0, length, size):
        yield slice(start, min(start + size, length))


def stream(q, k, v, block):
    """Return h (t_q, e): queries q (t_q, d) attend to keys k (t_k, d) with values v (t_k, e)."""
    scale = 1 / np.sqrt(q.shape[1])
    highest = np.zeros(len(q))
    total = np.zeros(len(q))
    mixed = np.zeros((len(q), v.shape[1]))

    for keys in blocks_of(len(k), block):
        scores = scale * (q @ k[keys].T)
        higher = np.maximum(highest, scores.max(axis=1))
        exps = np.exp(scores - higher[:, None])
        total = total * np.exp(highest - higher) + exps.sum(axis=1)
        mixed = mixed + exps @ v[keys]
        highest = higher

    return mixed / total[:, None]
