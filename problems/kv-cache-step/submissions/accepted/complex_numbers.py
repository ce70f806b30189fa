"""Pairs of features are complex numbers; the scores are the real part of a product with the conjugate."""

import numpy as np


def decode(q, k, v, chunks):
    half = q.shape[1] // 2
    turns = np.exp(1j * np.outer(np.arange(len(q)), 10000.0 ** (-np.arange(half) / half)))
    queries = (q[:, :half] + 1j * q[:, half:]) * turns
    keys = (k[:, :half] + 1j * k[:, half:]) * turns
    start, h = 0, np.empty(v.shape)
    for end in np.cumsum(chunks):
        scores = np.real(queries[start:end] @ keys[:end].conj().T) / np.sqrt(2 * half)
        later = np.arange(end) > np.arange(start, end)[:, None]
        scores = np.where(later, -np.inf, scores)
        exps = np.exp(scores - scores.max(axis=1, keepdims=True))
        h[start:end] = exps @ v[:end] / exps.sum(axis=1, keepdims=True)
        start = end
    return h
