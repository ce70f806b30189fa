"""Half-precision numbers are whole multiples of 2**-24; products are added up as exact integers of Python."""

import numpy as np


def attention_fp16(q, k, v):
    whole = [np.rint(array.astype(np.float64) * 2.0**24).astype(np.int64).astype(object) for array in (q, k)]
    products = (whole[0] @ whole[1].T).astype(np.float64) * 2.0**-48
    scores = products / np.sqrt(q.shape[1])
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exps @ v / exps.sum(axis=1, keepdims=True)
