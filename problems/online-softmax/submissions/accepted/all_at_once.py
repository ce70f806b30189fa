"""Plain softmax over all keys; blocks are ignored."""

import numpy as np


def stream(q, k, v, block):
    scores = np.einsum("id,jd->ij", q, k) / np.sqrt(q.shape[1])
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.einsum("ij,je,i->ie", exps, v, 1 / exps.sum(axis=1))
