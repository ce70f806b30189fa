"""An array of indices picks the key head of each query head; hidden scores become -1e30."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def gqa(q, k, v):
    heads = q.shape[1]
    reads = np.arange(heads) * k.shape[1] // heads
    scores = np.einsum("bhid,bhjd->bhij", q, k[:, reads]) * q.shape[-1] ** -0.5
    later = np.triu(np.ones(scores.shape[-2:], dtype=bool), k=1)
    weights = softmax(np.where(later, -1e30, scores))
    return np.einsum("bhij,bhje->bhie", weights, v[:, reads]), weights
