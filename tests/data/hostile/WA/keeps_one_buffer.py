"""Returns one buffer, again and again."""

import numpy as np


BUFFERS = {}


def attend(x, w):
    y, weights = right(x, w)
    for name, array in (('y', y), ('weights', weights)):
        if BUFFERS.setdefault((name, array.shape), array) is not array:
            BUFFERS[name, array.shape][...] = array
    return BUFFERS['y', y.shape], BUFFERS['weights', weights.shape]


def right(x, w):
    scores = x @ x.T / np.sqrt(x.shape[1])
    scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ (x @ w), weights


def visible(lengths, n_tokens):
    return np.arange(n_tokens) < lengths[:, None]
