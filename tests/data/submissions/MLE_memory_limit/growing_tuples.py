import numpy as np


def attend(x, w):
    kept = ()
    while True:
        kept = (kept, kept, x.shape)


def visible(lengths, n_tokens):
    return np.arange(n_tokens) < lengths[:, None]
