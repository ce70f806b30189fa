"""A key whose value is zero stands before all others, and its score is replaced by the sink."""

import numpy as np


def attention(q, k, v, sink):
    heads, tokens, size = q.shape
    values = np.concatenate([np.zeros((heads, 1, v.shape[2])), v], axis=1)
    scores = np.empty((heads, tokens, tokens + 1))
    scores[:, :, 0] = sink[:, None]
    scores[:, :, 1:] = q @ k.swapaxes(1, 2) / np.sqrt(size)
    scores = np.where(np.tri(tokens, tokens + 1, 1, dtype=bool), scores, -1e30)
    exps = np.exp(scores - scores.max(axis=2, keepdims=True))
    weights = exps / exps.sum(axis=2, keepdims=True)
    return weights @ values, weights[:, :, 1:]
