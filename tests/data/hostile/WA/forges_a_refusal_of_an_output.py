"""Sends a refusal of a kind that does not exist."""

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


def attend(x, w):
    y, weights = right(x, w)
    wire = sys.modules['grader.sandbox.wire']
    refused = wire.Refused('\x1b[2J', '\u202e' * 9)
    send(frame(b'A', [True, 2, [refused, refused]], True), frame(b'S', True))
    return os.read(3, 1)


def right(x, w):
    scores = x @ x.T / np.sqrt(x.shape[1])
    scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ (x @ w), weights


def visible(lengths, n_tokens):
    return np.arange(n_tokens) < lengths[:, None]
