import numpy as np


def attend(x, w):
    kept = []
    n = 0.5
    while True:
        n += 1.0
        kept.append(n)


def visible(lengths, n_tokens):
    return np.arange(n_tokens) < lengths[:, None]
