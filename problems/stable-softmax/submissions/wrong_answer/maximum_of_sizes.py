import numpy as np


def softmax(scores):
    sizes = np.abs(np.where(np.isfinite(scores), scores, 0))
    exps = np.exp(scores - sizes.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)
