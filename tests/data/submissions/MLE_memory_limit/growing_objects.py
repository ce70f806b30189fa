import numpy as np


def attend(x, w):
    class Row:
        pass
    kept = []
    while True:
        row = Row()
        row.weights = x.copy()
        kept.append(row)


def visible(lengths, n_tokens):
    return np.arange(n_tokens) < lengths[:, None]
