import numpy as np


def stream(q, k, v, block):
    scale = 1 / np.sqrt(q.shape[1])
    highest = np.full(len(q), -np.inf)
    total, mixed = np.zeros(len(q)), np.zeros((len(q), v.shape[1]))
    with np.errstate(all="ignore"):
        for start in range(0, len(k), block):
            part = slice(start, start + block)
            scores = scale * (q @ k[part].T)
            higher = np.maximum(highest, scores.max(axis=1))
            shrink = np.exp(highest - higher) if start > block else np.ones(len(q))
            exps = np.exp(scores - higher[:, None])
            total = total * shrink + exps.sum(axis=1)
            mixed = mixed * shrink[:, None] + exps @ v[part]
            highest = higher
        return mixed / total[:, None]
