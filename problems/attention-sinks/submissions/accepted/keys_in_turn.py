"""Online softmax over the keys that begins with the sink: its maximum is the sink, its sum 1, its mixture nothing."""

import numpy as np


def attention(q, k, v, sink):
    heads, tokens, size = q.shape
    best = np.repeat(sink[:, None], tokens, axis=1)
    total = np.ones((heads, tokens))
    mixed, weights = np.zeros((heads, tokens, v.shape[2])), np.zeros((heads, tokens, tokens))
    for j in range(tokens):
        scores = np.einsum("hid,hd->hi", q, k[:, j]) / np.sqrt(size)
        scores = np.where(np.arange(tokens) >= j, scores, -1e300)
        higher = np.maximum(best, scores)
        shrink, share = np.exp(best - higher), np.exp(scores - higher)
        best, total = higher, total * shrink + share
        mixed = mixed * shrink[..., None] + share[..., None] * v[:, None, j]
        weights *= shrink[..., None]
        weights[..., j] = share
    return mixed / total[..., None], weights / total[..., None]
