"""Unusual: no mask. Tokens arrive one by one, and the row of the bias is cut from one line that is read backwards."""

import numpy as np


def line(tokens, table):
    n = len(table)
    half = n // 2
    distance = np.arange(tokens)
    wide = half + np.trunc(np.log(np.maximum(distance, half) / half) * ((n - half) / np.log(32 / half))).astype(int)
    return np.take(table, np.minimum(np.where(distance < half, distance, wide), n - 1))


def t5_attention(q, k, v, table):
    tokens = len(q)
    backwards = line(tokens, table)[::-1]
    h, weights = np.zeros_like(v, dtype=np.float64, subok=False), np.zeros((tokens, tokens))
    for step in range(tokens):
        scores = k[: step + 1] @ q[step] + backwards[tokens - step - 1 :]
        shares = np.exp(scores - scores.max())
        weights[step, : step + 1] = shares / shares.sum()
        h[step] = weights[step, : step + 1] @ v[: step + 1]
    return h, weights
