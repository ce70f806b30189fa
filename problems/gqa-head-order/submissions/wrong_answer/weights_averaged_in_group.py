"""The weights are averaged over the members of a group, which then read alike."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def gqa(q, k, v):
    items, heads, tokens, size = q.shape
    groups = q.reshape(items, k.shape[1], -1, tokens, size)
    scores = np.einsum("bgrid,bgjd->bgrij", groups, k) / np.sqrt(size)
    causal = np.tri(tokens, dtype=bool)
    weights = softmax(np.where(causal, scores, -np.inf))
    weights = np.broadcast_to(weights.mean(axis=2, keepdims=True), weights.shape)
    mixed = np.einsum("bgrij,bgje->bgrie", weights, v)
    return mixed.reshape(items, heads, tokens, -1), weights.reshape(items, heads, tokens, tokens)
