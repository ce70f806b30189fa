"""Single precision with Kahan's compensation, key by key."""

import numpy as np


def attention_fp16(q, k, v):
    scores = (q.astype(np.float64) @ k.T.astype(np.float64) / np.sqrt(q.shape[1])).astype(np.float64)
    exps = np.exp(scores - scores.max(axis=1, keepdims=True)).astype(np.float32)
    values = np.hstack([v, np.ones((len(v), 1), dtype=np.float32)])
    total = np.zeros((len(q), values.shape[1]), dtype=np.float32)
    lost = np.zeros_like(total)
    for share, value in zip(exps.T, values):
        term = share[:, None] * value - lost
        grown = total + term
        lost, total = (grown - total) - term, grown
    return total[:, :-1] / total[:, -1:]
