"""Unusual: the table is gathered once for each distance, and every diagonal of the scores is raised by one number."""

import numpy as np


def bias_of_distances(tokens, table):
    n = len(table)
    half = n // 2
    starts = half * (32 / half) ** (np.arange(1, n - half) / (n - half))  # where the wide buckets after the first begin
    distance = np.arange(tokens)
    return table[np.where(distance < half, distance, half + np.searchsorted(starts, distance, side="right"))]


def t5_attention(q, k, v, table):
    tokens = len(q)
    scores = np.full((tokens, tokens), -np.inf)
    products = q @ k.T
    for distance, bias in enumerate(bias_of_distances(tokens, table)):
        i = np.arange(distance, tokens)
        scores[i, i - distance] = products[i, i - distance] + bias
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = exps / exps.sum(axis=1, keepdims=True)
    return weights @ v, weights
