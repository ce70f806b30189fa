"""Integer scores are shifted in int16, where a difference of 65536 is none."""

import numpy as np


def softmax(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    if shifted.dtype.kind == "i":
        shifted = shifted.astype(np.int16).astype(np.float64)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=-1, keepdims=True)
