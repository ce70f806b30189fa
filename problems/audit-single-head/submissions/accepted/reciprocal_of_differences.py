"""weight(i, j) = 1 / sum over k of exp(s_ik - s_ij): only differences of scores occur."""

import numpy as np


def single_head_causal(x, w_q, w_k, w_v, w_o):
    scores = (x @ w_q) @ (x @ w_k).T / np.sqrt(w_q.shape[1])
    allowed = np.tri(len(x), dtype=bool)
    ahead = scores[:, None, :] - scores[:, :, None]  # (query, key j, key k): lead of k over j
    ahead[np.broadcast_to(~allowed[:, None, :], ahead.shape)] = -np.inf
    with np.errstate(over="ignore"):  # an infinite sum means weight 0
        weights = 1 / np.exp(ahead).sum(axis=2)
    weights[~allowed] = 0
    return weights @ (x @ w_v) @ w_o, weights
