"""Cross-attention of one head: each position of the target reads the source."""

import numpy as np


def softmax(scores):
    """Softmax along the last axis, safe for large scores and for -inf."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=-1, keepdims=True)


def project(states, *matrices):
    """Multiply the same states by several matrices."""
    return [states @ matrix for matrix in matrices]


def cross_attention(x, ctx, w_q, w_k, w_v, w_o):
    """Return the output y (Tq, m) and the attention weights (Tq, Tk)."""
    (queries,) = project(x, w_q)
    keys, values = project(ctx, w_k, w_v)

    scores = np.einsum("qd,kd->qk", queries, keys) / np.sqrt(queries.shape[-1])
    scores[np.triu_indices_from(scores, k=1)] = -np.inf

    weights = softmax(scores)
    return weights @ values @ w_o, weights
