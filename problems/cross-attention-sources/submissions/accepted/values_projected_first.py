"""Unusual: W_V and W_O are one matrix, so the source is written in the target's terms before it is mixed."""

import numpy as np


def cross_attention(x, ctx, w_q, w_k, w_v, w_o):
    answers = ctx @ (w_v @ w_o)
    scores = (x @ w_q) @ (ctx @ w_k).T * w_q.shape[1] ** -0.5
    scores -= scores.max(axis=1, keepdims=True)
    weights = np.exp(scores)
    weights /= weights.sum(axis=1)[:, None]
    return weights @ answers, weights
