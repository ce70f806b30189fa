"""Claims that it did not compile."""

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


send(frame(b'X', ['compile', 'SyntaxError', 'SyntaxError', 1, '\x1b[2J<b>AC</b>', False, [], True]))
while True:
    os.read(3, 1)


def attend(x, w):
    scores = x @ x.T / np.sqrt(x.shape[1])
    scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ (x @ w), weights


def visible(lengths, n_tokens):
    return np.arange(n_tokens) < lengths[:, None]
