"""Causal attention with a bias by buckets of distances, the definition pair by pair."""

import math

import numpy as np


def bucket(distance, n):
    """Return the bucket of one distance from 0 on."""
    half = n // 2
    if distance < half:
        return distance
    return min(n - 1, half + int(math.log(distance / half) / math.log(32 / half) * (n - half)))


def t5_attention(q, k, v, table):
    """Return h (T, e) and the weights (T, T) of queries and keys (T, d), in double precision."""
    q, k, v, table = (np.asarray(a, dtype=np.float64) for a in (q, k, v, table))
    tokens = len(q)
    weights = np.zeros((tokens, tokens))
    for i in range(tokens):
        scores = np.array([q[i] @ k[j] + table[bucket(i - j, len(table))] for j in range(i + 1)])
        exponentials = np.exp(scores - scores.max())
        weights[i, : i + 1] = exponentials / exponentials.sum()
    return weights @ v, weights
