"""Every chunk is fed token by token, so that no mask is needed."""

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
    keys, values, h = [], [], []
    for token in range(int(chunks.sum())):
        position = np.array([token])
        keys.append(rotate(k[token : token + 1], position))
        values.append(v[token])
        scores = np.vstack(keys) @ rotate(q[token : token + 1], position)[0] / np.sqrt(q.shape[1])
        h.append(softmax(scores) @ np.array(values))
    return np.array(h)
