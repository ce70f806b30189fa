"""One key after the other for all heads at once, with a running maximum and rescaled sums."""

import numpy as np


def gqa(q, k, v):
    items, heads, tokens, size = q.shape
    members = heads // k.shape[1]
    best = np.full((items, heads, tokens), -np.inf)
    exps = np.zeros((items, heads, tokens, tokens))
    for j in range(tokens):
        score = np.einsum("bhid,bhd->bhi", q[:, :, j:], k[:, :, j].repeat(members, axis=1)) / np.sqrt(size)
        higher = np.maximum(best[:, :, j:], score)
        exps[:, :, j:] *= np.exp(best[:, :, j:] - higher)[..., None]
        exps[:, :, j:, j] = np.exp(score - higher)
        best[:, :, j:] = higher
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return np.einsum("bhij,bhje->bhie", weights, v.repeat(members, axis=1)), weights
