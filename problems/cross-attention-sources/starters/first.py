"""Cross-attention of one head: each position of the target reads the source."""

import numpy as np


def softmax(scores):
    """Softmax along the last axis, safe for large scores and for -inf."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=-1, keepdims=True)


def cross_attention(x, ctx, w_q, w_k, w_v, w_o):
    """Return the output y (Tq, m) and the attention weights (Tq, Tk)."""
    queries = x @ w_q
    keys = ctx @ w_k
    values = x @ w_v

    scores = queries @ keys.T / np.sqrt(keys.shape[-1])
    weights = softmax(scores)
    return weights @ values @ w_o, weights
