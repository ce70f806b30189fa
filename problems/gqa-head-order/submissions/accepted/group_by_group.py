"""One key head after the other: its block of query heads is cut out, and the results are joined."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def gqa(q, k, v):
    later = np.triu_indices(q.shape[2], k=1)
    h, weights = [], []
    for group, keys, values in zip(np.split(q, k.shape[1], axis=1), k.swapaxes(0, 1), v.swapaxes(0, 1)):
        scores = group @ keys[:, None].swapaxes(-1, -2) / np.sqrt(q.shape[-1])
        scores[..., later[0], later[1]] = -np.inf
        weights.append(softmax(scores))
        h.append(weights[-1] @ values[:, None])
    return np.concatenate(h, axis=1), np.concatenate(weights, axis=1)
