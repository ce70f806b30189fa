"""Sends an exception in a trace's place."""

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


def is_traced():
    return any(name.startswith("__grader_") for name in globals())


def attack(x, w):
    if is_traced():
        send(frame(b'X', ['call', '\x1b[2J', 'ValueError', 10**9, '<b>', True, [1], True]))


def attend(x, w):
    y, weights = right(x, w)
    if len(x) > 2:
        attack(x, w)
        return 2 * y, weights
    return y, weights


def right(x, w):
    scores = x @ x.T / np.sqrt(x.shape[1])
    scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ (x @ w), weights


def visible(lengths, n_tokens):
    return np.arange(n_tokens) < lengths[:, None]
