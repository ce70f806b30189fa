import numpy as np


def stream(q, k, v, block):
    queries = q / np.sqrt(q.shape[1])
    highest = np.full((len(q), 1), -np.inf)
    total, mixed = np.zeros((len(q), 1)), np.zeros((len(q), v.shape[1]))
    later = np.ones((len(q), 1))
    for start in range(0, len(k), block):
        part = slice(start, start + block)
        scores = queries @ k[part].T
        higher = np.maximum(highest, scores.max(axis=1, keepdims=True))
        shrink, later = later, np.exp(highest - higher)
        exps = np.exp(scores - higher)
        total = total * shrink + exps.sum(axis=1, keepdims=True)
        mixed = mixed * shrink + exps @ v[part]
        highest = higher
    return mixed / total
