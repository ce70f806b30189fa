import numpy as np


def softmax(scores):
    with np.errstate(all="ignore"):
        scores = np.asarray(scores, dtype=np.float64).astype(np.float16).astype(np.float64)
        shifted = scores - scores.max(axis=-1, keepdims=True)
        exps = np.exp(shifted)
        return exps / exps.sum(axis=-1, keepdims=True)
