"""For one key the answer is ones of the dtype of the scores: integers for integer scores."""

import numpy as np


def softmax(scores):
    if scores.shape[-1] == 1:
        return np.ones_like(scores)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)
