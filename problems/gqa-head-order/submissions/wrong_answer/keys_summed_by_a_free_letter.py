"""The letter of the key heads stands in one operand only, so that einsum adds up the keys of all heads."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def gqa(q, k, v):
    heads, tokens, size = q.shape[1:]
    shared = heads // k.shape[1]
    values = np.repeat(v, shared, axis=1)
    scores = np.einsum("bhid,bgjd->bhij", q, k) / np.sqrt(size)
    causal = np.tri(tokens, dtype=bool)
    weights = softmax(np.where(causal, scores, -np.inf))
    return weights @ values, weights
