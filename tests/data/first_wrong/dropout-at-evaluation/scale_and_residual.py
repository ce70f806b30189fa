"""Two slips: the scale is the key size, and the values are added to the mixture."""
import numpy as np


def attention(q, k, v, live, rate, training):
    s = q @ k.T / q.shape[1]
    w = np.exp(s - s.max(axis=1, keepdims=True))
    w = w / w.sum(axis=1, keepdims=True)
    mixing = np.where(live, w, 0.0) / (1.0 - rate) if training else w
    return mixing @ v + v, w
