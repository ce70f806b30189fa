"""One diagonal of the scores after the other, with a running maximum and rescaled sums."""

import numpy as np


def local_attention(q, k, v, window):
    tokens, size = q.shape
    best, total = np.full(tokens, -np.inf), np.zeros(tokens)
    mixed, weights = np.zeros((tokens, v.shape[1])), np.zeros((tokens, tokens))
    for back in range(min(window, tokens)):
        rows, keys = np.arange(back, tokens), np.arange(tokens - back)
        scores = (q[rows] * k[keys]).sum(axis=1) / np.sqrt(size)
        higher = np.maximum(best[rows], scores)
        shrink, share = np.exp(best[rows] - higher), np.exp(scores - higher)
        best[rows], total[rows] = higher, total[rows] * shrink + share
        mixed[rows] = mixed[rows] * shrink[:, None] + share[:, None] * v[keys]
        weights[rows] *= shrink[:, None]
        weights[rows, keys] = share
    return mixed / total[:, None], weights / total[:, None]
