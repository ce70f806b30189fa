"""Online softmax over the keys; each key is normalised when its turn comes."""

import numpy as np


def _norm(vectors, gain):
    return vectors / np.sqrt(np.mean(np.square(vectors), axis=-1, keepdims=True) + 1e-6) * gain


def attention(q, k, v, g_q, g_k):
    items, heads, tokens, size = q.shape
    queries = _norm(q, g_q) / np.sqrt(size)
    best, total = np.full((items, heads, tokens), -np.inf), np.zeros((items, heads, tokens))
    mixed, weights = np.zeros((items, heads, tokens, v.shape[-1])), np.zeros((items, heads, tokens, tokens))
    for j in range(tokens):
        late = slice(j, None)  # queries before j do not read it
        scores = np.einsum("bhid,bhd->bhi", queries[:, :, late], _norm(k[:, :, j], g_k))
        higher = np.maximum(best[..., late], scores)
        shrink, share = np.exp(best[..., late] - higher), np.exp(scores - higher)
        best[..., late], total[..., late] = higher, total[..., late] * shrink + share
        mixed[:, :, late] = mixed[:, :, late] * shrink[..., None] + share[..., None] * v[:, :, None, j]
        weights[:, :, late] *= shrink[..., None]
        weights[:, :, late, j] = share
    return mixed / total[..., None], weights / total[..., None]
