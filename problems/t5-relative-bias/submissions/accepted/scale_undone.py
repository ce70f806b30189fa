"""Unusual: a layer that scales by itself is given queries times the root of d, and so the scale is undone."""

import numpy as np


def scaled_attention(q, k, v, bias):
    scores = q @ k.T / np.sqrt(q.shape[1]) + bias
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ v, weights


def bucket(distance, n):
    half = n // 2
    if distance < half:
        return max(distance, 0)
    number, limit = half, distance / half
    while number < n - 1 and (32 / half) ** ((number + 1 - half) / (n - half)) <= limit:
        number += 1
    return number


def t5_attention(q, k, v, table):
    tokens = len(q)
    bias = np.array([[table[bucket(i - j, len(table))] if j <= i else -1e30 for j in range(tokens)] for i in range(tokens)])
    return scaled_attention(q * np.sqrt(q.shape[1]), k, v, bias)
