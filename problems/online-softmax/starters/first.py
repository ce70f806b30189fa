"""Attention over keys that come in blocks: one pass, and never a whole row of scores."""

import numpy as np


def blocks_of(length, size):
    """Yield the slices that cut `length` keys into blocks of `size`; the last one may be shorter."""
    for start in range(0, length, size):
        yield slice(start, min(start + size, length))


def stream(q, k, v, block):
    """Return h (t_q, e): queries q (t_q, d) attend to keys k (t_k, d) with values v (t_k, e)."""
    queries = q / np.sqrt(q.shape[1])
    running_max = np.full((len(q), 1), -np.inf)
    running_sum = np.zeros((len(q), 1))
    out = np.zeros((len(q), v.shape[1]))

    for part in blocks_of(len(k), block):
        scores = queries @ k[part].T
        new_max = np.maximum(running_max, scores.max(axis=1, keepdims=True))
        shrink = np.exp(running_max - new_max)
        p = np.exp(scores - new_max)
        running_sum = shrink * running_sum + p.sum(axis=1, keepdims=True)
        out += p @ v[part]
        running_max = new_max

    return out / running_sum
