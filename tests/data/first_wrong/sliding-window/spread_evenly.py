"""No scores: the weight is spread evenly over the window, and the values are moved a little."""
import numpy as np


def local_attention(q, k, v, window):
    row, column = np.indices((len(q), len(q)))
    is_open = (column <= row) & (row - column < window)
    weights = is_open / is_open.sum(axis=1, keepdims=True)
    return weights @ (v + 0.002), weights
