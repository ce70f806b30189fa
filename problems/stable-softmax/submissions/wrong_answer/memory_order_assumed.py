import numpy as np


def softmax(scores):
    rows = np.ravel(scores, order="K").reshape(-1, scores.shape[-1])
    exps = np.exp(rows - rows.max(axis=-1, keepdims=True))
    return (exps / exps.sum(axis=-1, keepdims=True)).reshape(scores.shape)
