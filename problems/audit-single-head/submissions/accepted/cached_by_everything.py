"""Results are kept by all that they depend on: dtype, shape and contents of every argument."""

import numpy as np

_kept = {}


def _compute(x, w_q, w_k, w_v, w_o):
    scores = (x @ w_q) @ (x @ w_k).T / np.sqrt(w_q.shape[1])
    scores[np.triu_indices(len(x), 1)] = -np.inf
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = exps / exps.sum(axis=1, keepdims=True)
    return weights @ (x @ w_v) @ w_o, weights


def single_head_causal(*arrays):
    key = tuple((a.dtype.str, a.shape, a.tobytes()) for a in arrays)
    if key not in _kept:
        _kept[key] = _compute(*arrays)
    y, weights = _kept[key]
    return y.copy(), weights.copy()
