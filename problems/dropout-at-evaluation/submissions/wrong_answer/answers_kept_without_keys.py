"""Answers are kept by everything but the keys."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


_answers = {}


def attention(q, k, v, live, rate, training):
    weights = softmax(q @ k.T / np.sqrt(q.shape[-1]))
    mixing = weights
    if training:
        mixing = weights * live / (1 - rate)
    key = tuple(array.tobytes() for array in (q, v, live, rate, training))
    return _answers.setdefault(key, (mixing @ v, weights))
