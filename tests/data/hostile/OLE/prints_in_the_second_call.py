"""Prints a flood when it is asked again."""

import numpy as np


CALLS = []


def attend(x, w):
    CALLS.append(0)
    if len(CALLS) == 2:
        print('x' * (2 << 20))
    return right(x, w)


def right(x, w):
    scores = x @ x.T / np.sqrt(x.shape[1])
    scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ (x @ w), weights


def visible(lengths, n_tokens):
    return np.arange(n_tokens) < lengths[:, None]
