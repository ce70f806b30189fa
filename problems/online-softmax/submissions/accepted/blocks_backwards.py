"""The blocks come from the last to the first, and the mixture is divided after each of them, weighted by its sum."""

import numpy as np


def stream(q, k, v, block):
    best, total = np.full((len(q), 1), -1e300), np.zeros((len(q), 1))
    answer = np.zeros((len(q), v.shape[1]))
    for start in reversed(range(0, len(k), block)):
        part = slice(start, start + block)
        scores = q @ k[part].T / np.sqrt(q.shape[1])
        higher = np.maximum(best, scores.max(axis=1, keepdims=True))
        old, exps = total * np.exp(best - higher), np.exp(scores - higher)
        total = old + exps.sum(axis=1, keepdims=True)
        answer = (old * answer + exps @ v[part]) / total
        best = higher
    return answer
