import numpy as np


def stream(q, k, v, block):
    highest, shift = np.full(len(q), -np.inf), np.zeros(len(q))
    total, mixed = np.zeros(len(q)), np.zeros((len(q), v.shape[1]))
    with np.errstate(all="ignore"):
        for start in range(0, len(k), block):
            part = slice(start, start + block)
            scores = q @ k[part].T / np.sqrt(q.shape[1])
            highest = np.maximum(highest, scores.max(axis=1))
            moved = np.where(np.abs(highest) > 709, highest, 0.0)
            shrink = np.exp(shift - moved) if start else np.zeros(len(q))
            exps = np.exp(scores - moved[:, None])
            total = total * shrink + exps.sum(axis=1)
            mixed = mixed * shrink[:, None] + exps @ v[part]
            shift = moved
        return mixed / total[:, None]
