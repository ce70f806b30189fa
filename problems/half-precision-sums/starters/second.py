"""Attention whose queries, keys and values are kept in half precision."""

import numpy as np


def stored(array):
    """Bring numbers into the type in which they are kept; the inputs are such numbers, so that no value changes."""
    return array.astype(np.float16)


def attention_fp16(q, k, v):
    """Return h (t_q, e) in single precision: queries q (t_q, d), keys k (t_k, d), values v (t_k, e)."""
    scores = q @ k.T / np.sqrt(np.float32(q.shape[1]))
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))

    values = stored(v)
    total, mixed = np.zeros_like(values, shape=(len(q), 1)), np.zeros_like(values, shape=(len(q), v.shape[1]))
    for share, value in zip(exps.T, values):
        total += share[:, None]
        mixed += share[:, None] * value
    return mixed.astype(np.float32) / total
