"""Returns lists of numbers of its own class."""

import numpy as np


class Mine(float):
    pass


def attend(x, w):
    y, weights = right(x, w)
    return [[Mine(v) for v in row] for row in y], weights


def right(x, w):
    scores = x @ x.T / np.sqrt(x.shape[1])
    scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ (x @ w), weights


def visible(lengths, n_tokens):
    return np.arange(n_tokens) < lengths[:, None]
