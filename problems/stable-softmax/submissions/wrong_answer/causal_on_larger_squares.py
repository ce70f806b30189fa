"""Squares of more than eight rows are taken for self-attention, and later keys are hidden."""

import numpy as np


def softmax(scores):
    if scores.ndim > 1 and scores.shape[-2] == scores.shape[-1] > 8:
        scores = np.where(np.tri(scores.shape[-1], dtype=bool), scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)
