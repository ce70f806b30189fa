"""Fills a set with values of one hash."""

import numpy as np


class Same:
    def __hash__(self):
        return 0

    def __eq__(self, other):
        return False


def attack(x, w):
    set(Same() for _ in range(1 << 20))


def attend(x, w):
    attack(x, w)
    scores = x @ x.T / np.sqrt(x.shape[1])
    scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ (x @ w), weights


def visible(lengths, n_tokens):
    return np.arange(n_tokens) < lengths[:, None]
