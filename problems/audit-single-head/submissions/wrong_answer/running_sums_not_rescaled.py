import numpy as np


def single_head_causal(x, w_q, w_k, w_v, w_o):
    q, k, v = x @ w_q / np.sqrt(w_q.shape[1]), x @ w_k, x @ w_v
    mixed = np.zeros((len(x), v.shape[1]))
    weights = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        peak, total = -np.inf, 0.0
        for j in range(i + 1):
            score = q[i] @ k[j]
            higher = max(peak, score)
            term = np.exp(score - higher)
            total += term
            weights[i, j] = term
            mixed[i] += term * v[j]
            peak = higher
        weights[i] /= total
        mixed[i] /= total
    return mixed @ w_o, weights
