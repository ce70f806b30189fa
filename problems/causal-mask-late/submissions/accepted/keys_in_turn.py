"""One key after the other joins the rows that may read it; running maximum, total and mixture are rescaled."""

import numpy as np


def single_head_causal(x, w_q, w_k, w_v, w_o):
    q, k, v = (np.asarray(x @ w, dtype=np.float64) for w in (w_q, w_k, w_v))
    tokens = len(x)
    best, total = np.full(tokens, -np.inf), np.zeros(tokens)
    mixed, weights = np.zeros((tokens, v.shape[1])), np.zeros((tokens, tokens))
    for j in range(tokens):
        rows = slice(j, tokens)
        scores = q[rows] @ k[j] / np.sqrt(k.shape[1])
        higher = np.maximum(best[rows], scores)
        shrink, share = np.exp(best[rows] - higher), np.exp(scores - higher)
        best[rows] = higher
        total[rows] = total[rows] * shrink + share
        mixed[rows] = mixed[rows] * shrink[:, None] + share[:, None] * v[j]
        weights[rows] *= shrink[:, None]
        weights[rows, j] = share
    return (mixed / total[:, None]) @ w_o, weights / total[:, None]
