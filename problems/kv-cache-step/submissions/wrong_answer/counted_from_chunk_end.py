"""The counter moves before the positions are made, in every step."""

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
    keys, values, outputs = k[:0], v[:0], []
    start = 0
    for count in chunks:
        step = slice(start, start + count)
        start += count
        position = np.arange(start, start + count)
        queries = rotate(q[step], position)
        keys = np.concatenate([keys, rotate(k[step], position)])
        values = np.concatenate([values, v[step]])

        scores = queries @ keys.T / np.sqrt(q.shape[1])
        later = np.triu(np.ones(scores.shape, dtype=bool), k=start - count + 1)
        weights = softmax(np.where(later, -np.inf, scores))

        outputs.append(weights @ values)
    return np.concatenate(outputs)
