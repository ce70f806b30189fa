"""Unusual: the softmax is a matrix of ratios, weight = 1 / sum of exp of differences; the bias enters as differences."""

import numpy as np


def bucket(distance, n):
    half = n // 2
    steps = np.log(np.maximum(distance, half) / half) / np.log(32 / half) * (n - half)
    return np.where(distance < half, np.maximum(distance, 0), np.minimum(half + steps.astype(int), n - 1))


def t5_attention(q, k, v, table):
    weights = np.zeros((len(q), len(q)))
    for i, query in enumerate(q):
        past = np.arange(i + 1)
        bias = table[bucket(i - past, len(table))]
        differences = (k[past, None] - k[past]) @ query + bias[:, None] - bias
        with np.errstate(over="ignore"):
            weights[i, past] = 1.0 / np.exp(differences).sum(axis=0)
    return weights @ v, weights
