"""Online softmax over the keys; a row that never met a key has a total of 0 and stays zero."""

import numpy as np


def attention(q, k, v, pad):
    items, heads, tokens, size = q.shape
    best, total = np.full((items, heads, tokens), -1e300), np.zeros((items, heads, tokens))
    mixed, weights = np.zeros((items, heads, tokens, v.shape[-1])), np.zeros((items, heads, tokens, tokens))
    for j in range(tokens):
        reads = (np.arange(tokens) >= j) & (j >= pad[:, None, None])
        scores = np.where(reads, np.einsum("bhid,bhd->bhi", q, k[:, :, j]) / np.sqrt(size), -1e300)
        higher = np.maximum(best, scores)
        shrink, share = np.exp(best - higher), np.exp(scores - higher) * reads
        best, total = higher, total * shrink + share
        mixed = mixed * shrink[..., None] + share[..., None] * v[:, :, None, j]
        weights *= shrink[..., None]
        weights[..., j] = share
    total = np.where(total > 0, total, 1.0)[..., None]
    return mixed / total, weights / total
