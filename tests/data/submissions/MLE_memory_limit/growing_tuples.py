import numpy as np


def attend(x, w):
    kept = []
    while True:
        kept.append((x.shape, w.shape, len(kept)))


def visible(lengths, n_tokens):
    return np.arange(n_tokens) < lengths[:, None]
