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
    size = q.shape[1]
    cache_k, cache_v, h = [], [], []
    steps = np.cumsum(chunks)[:-1]
    for queries, keys, values in zip(np.split(q, steps), np.split(k, steps), np.split(v, steps)):
        cached = sum(len(part) for part in cache_k)
        place = np.arange(len(queries))
        cache_k.append(rotate(keys, place))
        cache_v.append(values)
        all_keys, all_values = np.concatenate(cache_k), np.concatenate(cache_v)

        scores = rotate(queries, place) @ all_keys.T / np.sqrt(size)
        readable = np.arange(len(all_keys)) <= cached + place[:, None]
        h.append(softmax(np.where(readable, scores, -np.inf)) @ all_values)
    return np.concatenate(h)
