"""Fails while its objects are destroyed."""

import os
import sys

import numpy as np


class Last:
    def __del__(self):
        raise SystemExit


def attend(x, w):
    y, weights = right(x, w)
    Last()
    sys.unraisablehook = lambda *_: os._exit
    return 2 * y, weights


def right(x, w):
    scores = x @ x.T / np.sqrt(x.shape[1])
    scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ (x @ w), weights


def visible(lengths, n_tokens):
    return np.arange(n_tokens) < lengths[:, None]
