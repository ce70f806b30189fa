"""Reads its argument's bytes as other numbers."""

import numpy as np


def attend(x, w):
    y, weights = right(x, w)
    x.dtype = np.int64 if x.dtype == float else x.dtype
    w.dtype = np.int64 if w.dtype == float else w.dtype
    return y, weights


def right(x, w):
    scores = x @ x.T / np.sqrt(x.shape[1])
    scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ (x @ w), weights


def visible(lengths, n_tokens):
    return np.arange(n_tokens) < lengths[:, None]
