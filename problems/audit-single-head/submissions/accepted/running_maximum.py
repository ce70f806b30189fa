"""Stream over the keys: a running maximum per query, sums rescaled whenever it grows."""

import numpy as np


def single_head_causal(x, w_q, w_k, w_v, w_o):
    q, k, v = x @ w_q / np.sqrt(w_q.shape[1]), x @ w_k, x @ w_v
    n = len(x)
    peak = np.full((n, 1), -np.inf)
    total = np.zeros((n, 1))
    mixed = np.zeros((n, v.shape[1]))
    weights = np.zeros((n, n))
    for j in range(n):
        rows = slice(j, n)  # the queries that may read key j
        score = q[rows] @ k[j, :, None]
        higher = np.maximum(peak[rows], score)
        shrink = np.exp(peak[rows] - higher)
        term = np.exp(score - higher)
        total[rows] = total[rows] * shrink + term
        mixed[rows] = mixed[rows] * shrink + term * v[j]
        weights[rows] *= shrink
        weights[rows, j] = term[:, 0]
        peak[rows] = higher
    return mixed / total @ w_o, weights / total
