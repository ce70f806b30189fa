"""Answers are kept by everything but the values."""

import numpy as np

_answers = {}


def stream(q, k, v, block):
    scores = q @ k.T / np.sqrt(q.shape[1])
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    answer = exps @ v / exps.sum(axis=1, keepdims=True)
    key = block, q.shape, v.shape, *(array.tobytes() for array in (q, k))
    return _answers.setdefault(key, answer).copy()
