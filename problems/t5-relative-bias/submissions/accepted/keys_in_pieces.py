"""Unusual: keys arrive in pieces of five; maximum, sum and mixture of every row are rescaled as they come."""

import numpy as np


def bucket(distance, n):
    half = n // 2
    steps = np.log(np.maximum(distance, half) / half) / np.log(32 / half) * (n - half)
    far = np.minimum(half + steps.astype(int), n - 1)
    return np.where(distance < half, np.maximum(distance, 0), far)


def t5_attention(q, k, v, table):
    tokens = len(q)
    top, total = np.full((tokens, 1), -1e300), np.zeros((tokens, 1))
    mixed, seen = np.zeros((tokens, v.shape[1])), []
    for start in range(0, tokens, 5):
        key = np.arange(start, min(start + 5, tokens))
        distance = np.arange(tokens)[:, None] - key
        scores = np.where(distance >= 0, q @ k[key].T + table[bucket(distance, len(table))], -np.inf)
        higher = np.maximum(top, scores.max(axis=1, keepdims=True))
        shrink, exps = np.exp(top - higher), np.exp(scores - higher)
        total, mixed, top = total * shrink + exps.sum(axis=1, keepdims=True), mixed * shrink + exps @ v[key], higher
        seen.append(scores)
    return mixed / total, np.exp(np.hstack(seen) - top) / total
