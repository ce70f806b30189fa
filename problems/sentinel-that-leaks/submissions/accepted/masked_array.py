"""Hidden pairs are masked by numpy.ma and filled with 0 at the end."""

import numpy as np


def attention(q, k, v, bias, keep):
    scores = np.ma.masked_array(q @ k.T / np.sqrt(q.shape[1]) + bias, mask=~keep)
    exps = np.ma.exp(scores - scores.max(axis=1)[:, None])
    weights = np.array((exps / exps.sum(axis=1)[:, None]).filled(0.0))
    return weights @ v, weights
