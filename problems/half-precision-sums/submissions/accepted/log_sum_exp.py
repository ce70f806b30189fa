"""Weights are exp of the score minus the log-sum-exp; half-precision inputs are widened by multiplying with a double."""

import numpy as np


def attention_fp16(q, k, v):
    scores = (q.astype(np.float16) * np.float64(1) @ k.astype(np.float16).T.astype(np.float64)) / np.sqrt(q.shape[1])
    total = np.logaddexp.reduce(scores, axis=1)
    return (np.exp(scores - total[:, None]) @ v.astype(np.longdouble)).astype(np.longdouble)
