"""Unusual: no queries and no keys, target and source meet in one matrix; the softmax is a log-sum-exp."""

import numpy as np


def cross_attention(x, ctx, w_q, w_k, w_v, w_o):
    form = w_q @ w_k.T / np.sqrt(w_q.shape[1])
    scores = np.einsum("im,mn,jn->ij", x, form, ctx, optimize=True)
    weights = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    return np.linalg.multi_dot([weights, ctx, w_v, w_o]), weights
