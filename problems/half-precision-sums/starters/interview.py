"""Attention whose queries, keys and values are kept in half precision."""

import numpy as np


def stored(array):
    """Bring numbers into the type in which they are kept; the inputs are such numbers, so that no value changes."""
    return array.astype(np.float16)


def attention_fp16(q, k, v):
    """Return h (t_q, e) in single precision: queries q (t_q, d), keys k (t_k, d), values v (t_k, e)."""
    q, k, v = stored(q), stored(k), stored(v)
    scale = q.shape[1] ** -0.5
    scores = (q @ k.T * scale).astype(np.float32)
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))

    total = np.zeros((len(q), 1), dtype=q.dtype)
    mixed = np.zeros((len(q), v.shape[1]), dtype=v.dtype)
    for j in range(len(k)):
        share = exps[:, j, None]
        total += share
        mixed += share * v[j]
    return mixed.astype(np.float32) / total
