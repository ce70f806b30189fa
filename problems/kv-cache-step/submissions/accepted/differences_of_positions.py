"""The keys stay as they are; each query is turned by its distance to the key."""

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
    half = size // 2
    angle = np.subtract.outer(np.arange(tokens), np.arange(tokens))[:, :, None] * 10000.0 ** (-np.arange(half) / half)
    qa, qb, ka, kb = q[:, None, :half], q[:, None, half:], k[None, :, :half], k[None, :, half:]
    scores = (np.cos(angle) * (qa * ka + qb * kb) + np.sin(angle) * (qa * kb - qb * ka)).sum(axis=2) / np.sqrt(size)
    return softmax(np.where(angle[:, :, 0] >= 0, scores, -np.inf)) @ v
