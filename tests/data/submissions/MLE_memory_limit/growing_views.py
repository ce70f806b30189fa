import numpy as np


def attend(x, w):
    kept = [x]
    while True:
        kept.append(kept[-1][:])


def visible(lengths, n_tokens):
    return np.arange(n_tokens) < lengths[:, None]
