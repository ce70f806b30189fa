"""A tree of sums in single precision: neighbours are added until one is left."""

import numpy as np


def _in_pairs(terms):
    while len(terms) > 1:
        if len(terms) % 2:
            terms = np.concatenate([terms, np.zeros_like(terms[:1])])
        terms = terms[::2] + terms[1::2]
    return terms[0]


def attention_fp16(q, k, v):
    scores = q @ k.T * np.float32(q.shape[1] ** -0.5)
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    total = _in_pairs(exps.T[:, :, None])
    return _in_pairs(exps.T[:, :, None] * v[:, None]) / total
