"""Everything in double precision; the result is of float64, too."""

import numpy as np


def attention_fp16(q, k, v):
    scores = np.einsum("id,jd->ij", q, k, dtype=np.float64) / np.sqrt(q.shape[1])
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.einsum("ij,je->ie", exps, v) / exps.sum(axis=1, keepdims=True)
