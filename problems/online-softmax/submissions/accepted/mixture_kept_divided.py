"""The mixture is kept divided by the sum so far, so that it is an answer after every block."""

import numpy as np


def blocks_of(length, size):
    for start in range(0, length, size):
        yield slice(start, min(start + size, length))


def stream(q, k, v, block):
    queries = q / np.sqrt(q.shape[1])
    top = np.full((len(q), 1), -np.inf)
    total = np.zeros((len(q), 1))
    mixed = np.zeros((len(q), v.shape[1]))
    for part in blocks_of(len(k), block):
        scores = queries @ k[part].T
        new = np.maximum(top, scores.max(axis=1, keepdims=True))
        shrink = np.exp(top - new)
        exps = np.exp(scores - new)
        old = total * shrink
        total = old + exps.sum(axis=1, keepdims=True)
        mixed = mixed * (old / total) + exps @ v[part] / total
        top = new
    return mixed
