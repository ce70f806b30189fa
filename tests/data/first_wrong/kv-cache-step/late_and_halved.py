"""Two slips: positions begin at 1 for the keys, and the mixture is halved."""
import numpy as np


def turned(x, start):
    half = x.shape[1] // 2
    angles = (start + np.arange(len(x)))[:, None] * 10000.0 ** (-2 * np.arange(half) / x.shape[1])
    first, second = x[:, :half], x[:, half:]
    return np.concatenate(
        [first * np.cos(angles) - second * np.sin(angles), first * np.sin(angles) + second * np.cos(angles)], axis=1
    )


def decode(q, k, v, chunks):
    s = turned(q, 0) @ turned(k, 1).T / np.sqrt(q.shape[1])
    s = np.where(np.tri(len(q), dtype=bool), s, -np.inf)
    w = np.exp(s - s.max(axis=1, keepdims=True))
    w = w / w.sum(axis=1, keepdims=True)
    return w @ v * 0.5
