"""Is wrong in its last case and ends when it is asked for its first results."""

import os
import sys

import numpy as np


def send(*frames):
    data = b"".join(frames)
    while data:
        data = data[os.write(4, data) :]


def frame(kind, *values):
    wire = sys.modules["grader.sandbox.wire"]
    return wire.frame(kind, *map(wire.encode, values))


def attack(x, w):
    def hooked(descriptor, size, read=os.read):
        data = read(descriptor, size)
        if data[4:] == b"F":
            os._exit(0)
        return data

    os.read = hooked


def attend(x, w):
    attack(x, w)
    scores = x @ x.T / np.sqrt(x.shape[1])
    scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ (x @ w), weights


def visible(lengths, n_tokens):
    return np.arange(n_tokens) <= lengths[:, None]
