"""Prints a flood when it is asked for its first results."""

import os

import numpy as np


def attack(x, w):
    def hooked(descriptor, size, read=os.read):
        data = read(descriptor, size)
        if data[4:] == b"F":
            os.write(1, b"x" * (2 << 20))
        return data

    if os.read.__name__ != "hooked":
        os.read = hooked


def attend(x, w):
    attack(x, w)
    scores = x @ x.T / np.sqrt(x.shape[1])
    scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ (x @ w), weights


def visible(lengths, n_tokens):
    return np.arange(n_tokens) < lengths[:, None]
