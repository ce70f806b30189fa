"""Two slips: nothing is scaled, and the values are added to the mixture."""
import numpy as np


def turned(x):
    half = x.shape[1] // 2
    angles = np.arange(len(x))[:, None] * 10000.0 ** (-2 * np.arange(half) / x.shape[1])
    first, second = x[:, :half], x[:, half:]
    return np.concatenate(
        [first * np.cos(angles) - second * np.sin(angles), first * np.sin(angles) + second * np.cos(angles)], axis=1
    )


def decode(q, k, v, chunks):
    s = turned(q) @ turned(k).T
    s = np.where(np.tri(len(q), dtype=bool), s, -np.inf)
    w = np.exp(s - s.max(axis=1, keepdims=True))
    w = w / w.sum(axis=1, keepdims=True)
    return w @ v + v
