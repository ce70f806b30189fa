"""Decoding of one head with rotary positions and a cache of keys and values."""

import numpy as np


def rotate(x, position):
    """Rotate the rows of x (tokens, d) by their positions (tokens,); feature i goes with feature i + d/2."""
    half = x.shape[1] // 2
    angle = position[:, None] * 10000.0 ** (-np.arange(half) / half)
    first, second = x[:, :half], x[:, half:]
    cos, sin = np.cos(angle), np.sin(angle)
    return np.concatenate([first * cos - second * sin, first * sin + second * cos], axis=1)


def softmax(scores):
    """Softmax along the last axis, safe for large scores and for -inf."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=-1, keepdims=True)


def decode(q, k, v, chunks):
    """Return the mixed values h (T, e) of a text that arrives in chunks (n,)."""
    tokens, size = q.shape
    key_cache, value_cache = np.zeros((tokens, size)), np.zeros((tokens, v.shape[1]))
    h = np.zeros((tokens, v.shape[1]))
    filled = 0
    for count in chunks.tolist():
        new = np.arange(filled, filled + count)
        key_cache[new], value_cache[new] = rotate(k[new], new), v[new]
        filled += count

        scores = rotate(q[new], new) @ key_cache[:filled].T / np.sqrt(size)
        readable = np.tri(count, filled, dtype=bool)
        h[new] = softmax(np.where(readable, scores, -np.inf)) @ value_cache[:filled]
    return h
