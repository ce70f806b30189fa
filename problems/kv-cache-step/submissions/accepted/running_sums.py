"""Each key is added to running sums of all later rows, with a running maximum; there is no matrix of scores."""

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
    queries, keys = rotate(q, np.arange(tokens)) / np.sqrt(size), rotate(k, np.arange(tokens))
    best, total, mixed = np.full(tokens, -1e300), np.zeros(tokens), np.zeros(v.shape)
    for j in range(tokens):
        scores = queries[j:] @ keys[j]
        higher = np.maximum(best[j:], scores)
        shrink, share = np.exp(best[j:] - higher), np.exp(scores - higher)
        best[j:], total[j:] = higher, total[j:] * shrink + share
        mixed[j:] = mixed[j:] * shrink[:, None] + share[:, None] * v[j]
    return mixed / total[:, None]
