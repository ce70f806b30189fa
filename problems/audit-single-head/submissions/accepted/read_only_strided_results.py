"""Results in unusual memory: a Fortran-ordered y and weights that are a read-only view with gaps."""

import numpy as np


def single_head_causal(x, w_q, w_k, w_v, w_o):
    n = len(x)
    board = np.zeros((2 * n, 2 * n))
    weights = board[::2, ::2]
    scores = (x @ w_k) @ (x @ w_q).T / np.sqrt(w_q.shape[1])  # key by query: the keys run down the columns
    scores = np.where(np.tri(n).T > 0, scores, -np.inf)
    e = np.exp(scores - scores.max(axis=0))
    weights[...] = (e / e.sum(axis=0)).T
    weights.flags.writeable = False
    return np.asfortranarray(weights @ (x @ w_v) @ w_o), weights
