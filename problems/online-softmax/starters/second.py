"""Attention over keys that come in blocks: one pass, and never a whole row of scores."""

import numpy as np


def blocks_of(length, size):
    """Yield the slices that cut `length` keys into blocks of `size`; the last one may be shorter."""
    for start in range(0, length, size):
        yield slice(start, min(start + size, length))


def stream(q, k, v, block):
    """Return h (t_q, e): queries q (t_q, d) attend to keys k (t_k, d) with values v (t_k, e)."""
    queries = q / np.sqrt(q.shape[1])
    highest, total = np.zeros((2, len(q), 1))
    mixed = np.zeros((len(q), v.shape[1]))

    for part in blocks_of(len(k), block):
        scores = queries @ k[part].T
        before, highest = highest, np.maximum(highest, scores.max(axis=1, keepdims=True))
        shrink = np.exp(before - highest)
        exps = np.exp(scores - highest)
        total = total * shrink + exps.sum(axis=1, keepdims=True)
        mixed = mixed * shrink + exps @ v[part]

    return mixed / total
