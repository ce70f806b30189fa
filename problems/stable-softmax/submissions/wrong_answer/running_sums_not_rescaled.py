import numpy as np


def softmax(scores):
    scores = np.asarray(scores, dtype=np.float64)
    best = np.maximum.accumulate(scores, axis=-1)
    with np.errstate(all="ignore"):
        exps = np.nan_to_num(np.exp(scores - best))
    return exps / exps.sum(axis=-1, keepdims=True)
