"""One key at a time with a running maximum; what was summed shrinks when it grows, and hidden keys are passed over."""

import numpy as np


def attention(q, k, v, bias, keep):
    tokens = len(q)
    best, total = np.full(tokens, -1e300), np.zeros(tokens)
    mixed, weights = np.zeros((tokens, v.shape[1])), np.zeros((tokens, tokens))
    for j in range(tokens):
        rows = keep[:, j]
        score = q[rows] @ k[j] / np.sqrt(q.shape[1]) + bias[rows, j]
        higher = np.maximum(best[rows], score)
        shrink, share = np.exp(best[rows] - higher), np.exp(score - higher)
        best[rows] = higher
        total[rows] = total[rows] * shrink + share
        mixed[rows] = mixed[rows] * shrink[:, None] + share[:, None] * v[j]
        weights[rows] *= shrink[:, None]
        weights[rows, j] = share
    return mixed / total[:, None], weights / total[:, None]
