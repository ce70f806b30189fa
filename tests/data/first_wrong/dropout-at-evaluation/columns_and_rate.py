"""Two slips: the softmax runs over the queries, and what is left is multiplied by the rate."""
import numpy as np


def attention(q, k, v, live, rate, training):
    s = q @ k.T / np.sqrt(q.shape[1])
    w = np.exp(s - s.max(axis=0))
    w = w / w.sum(axis=0)
    mixing = np.where(live, w, 0.0) * rate if training else w
    return mixing @ v, w
