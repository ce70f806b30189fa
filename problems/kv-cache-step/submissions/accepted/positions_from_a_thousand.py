"""All positions are a thousand higher, which no difference of positions notices."""

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


def decode(q, k, v, chunks):
    start, keys, h = 1000, k[:0], []
    for count in chunks:
        position = np.arange(start, start + count)
        keys = np.vstack([keys, rotate(k[position - 1000], position)])
        scores = rotate(q[position - 1000], position) @ keys.T / np.sqrt(q.shape[1])
        scores = scores - 1e9 * (np.arange(len(keys)) > position[:, None] - 1000)
        h.append(softmax(scores) @ v[: len(keys)])
        start += count
    return np.concatenate(h)
