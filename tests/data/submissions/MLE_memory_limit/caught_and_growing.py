import numpy as np


def attend(x, w):
    kept = []
    try:
        while True:
            kept.append(x.copy())
    except MemoryError:
        kept.append(kept)
        while True:
            kept.append(x.copy())


def visible(lengths, n_tokens):
    return np.arange(n_tokens) < lengths[:, None]
