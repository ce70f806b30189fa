"""Extended precision from the inputs to the results."""

import numpy as np


def single_head_causal(x, w_q, w_k, w_v, w_o):
    x, w_q, w_k, w_v, w_o = (a.astype(np.longdouble) for a in (x, w_q, w_k, w_v, w_o))
    scores = x.dot(w_q).dot(x.dot(w_k).T) / np.sqrt(np.longdouble(w_q.shape[1]))
    scores[np.triu_indices(len(x), 1)] = -np.inf
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    return weights.dot(x.dot(w_v)).dot(w_o), weights
