"""Sums are rescaled only when a score leads the reference point by more than 20; any reference near the maximum serves."""

import numpy as np


def stream(q, k, v, block):
    reference, total, mixed = None, 0.0, 0.0
    for start in range(0, len(k), block):
        part = slice(start, start + block)
        scores = q @ k[part].T / np.sqrt(q.shape[1])
        best = scores.max(axis=1)
        if reference is None:
            reference = best
        moved = np.where(best > reference + 20, best, reference)
        shrink = np.exp(reference - moved)
        exps = np.exp(scores - moved[:, None])
        total = total * shrink + exps.sum(axis=1)
        mixed = mixed * shrink[:, None] + exps @ v[part] if start else exps @ v[part]
        reference = moved
    return mixed / total[:, None]
