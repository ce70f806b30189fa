"""A cache with room for all tokens; places that are not filled are hidden by the mask."""

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
    tokens, size = q.shape
    keys, values, h = np.zeros((tokens, size)), np.zeros(v.shape), np.zeros(v.shape)
    filled = 0
    for count in chunks:
        new = np.arange(filled, filled + count)
        keys[new], values[new] = rotate(k[new], new), v[new]
        filled += count
        scores = rotate(q[new], new) @ keys.T / np.sqrt(size)
        h[new] = softmax(np.where(np.arange(tokens) <= new[:, None], scores, -1e30)) @ values
    return h
