"""Unusual: each query gets n features, the table, and each pair an indicator of its bucket; one product has it all."""

import numpy as np


def buckets(tokens, n):
    half = n // 2
    distance = np.clip(np.subtract.outer(np.arange(tokens), np.arange(tokens)), 0, 32)
    with np.errstate(divide="ignore"):
        ratio = np.log2(distance / half) / np.log2(32 / half)
    wide = np.floor(np.maximum(ratio, 0) * (n - half)).astype(int) + half
    return np.where(distance < half, distance, wide.clip(max=n - 1))


def t5_attention(q, k, v, table):
    tokens, n = len(q), len(table)
    indicator = buckets(tokens, n)[:, :, None] == np.arange(n)
    scores = np.einsum("id,jd->ij", q, k) + indicator @ table
    scores = scores + np.triu(np.full((tokens, tokens), -1e9), k=1)
    weights = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    return weights @ v, weights
