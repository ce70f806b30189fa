"""The keys of each query are sorted, largest score first, so that the maximum never grows."""

import numpy as np


def stream(q, k, v, block):
    h = []
    for query in q:
        scores = k @ query / np.sqrt(len(query))
        order = np.argsort(-scores)
        exps = np.exp(scores[order] - scores[order[0]])
        h.append(exps @ v[order] / exps.sum())
    return np.array(h)
