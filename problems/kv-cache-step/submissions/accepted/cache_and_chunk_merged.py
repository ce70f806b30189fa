"""Cache and chunk are attended to apart and joined by their log-sum-exps."""

import numpy as np


def rotate(x, position):
    half = x.shape[1] // 2
    angle = position[:, None] * 10000.0 ** (-np.arange(half) / half)
    first, second = x[:, :half], x[:, half:]
    cos, sin = np.cos(angle), np.sin(angle)
    return np.concatenate([first * cos - second * sin, first * sin + second * cos], axis=1)


def softmax(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=-1, keepdims=True)


def _part(queries, keys, values, readable):
    scores = np.where(readable, queries @ keys.T / np.sqrt(queries.shape[1]), -np.inf)
    logs = np.logaddexp.reduce(scores, axis=1)
    return logs, np.exp(scores - logs[:, None]) @ values


def decode(q, k, v, chunks):
    h, start = [], 0
    for count in chunks:
        new, old = np.arange(start, start + count), np.arange(start)
        queries = rotate(q[new], new)
        parts = [_part(queries, rotate(k[new], new), v[new], np.tri(count, dtype=bool))]
        if start:
            parts.append(_part(queries, rotate(k[old], old), v[old], True))
        logs, mixed = (np.array(each) for each in zip(*parts))
        shares = np.exp(logs - np.logaddexp.reduce(logs, axis=0))
        h.append((shares[..., None] * mixed).sum(axis=0))
        start += count
    return np.concatenate(h)
