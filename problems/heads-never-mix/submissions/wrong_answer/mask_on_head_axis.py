"""The triangle is laid over heads and keys when there are as many heads as tokens."""

import numpy as np


def split_heads(projected, n_heads):
    batch, tokens, width = projected.shape
    return projected.reshape(batch, tokens, n_heads, width // n_heads).transpose(0, 2, 1, 3)


def merge_heads(heads):
    batch, n_heads, tokens, size = heads.shape
    return heads.transpose(0, 2, 1, 3).reshape(batch, tokens, n_heads * size)


def causal_mask(tokens):
    return np.tri(tokens, dtype=bool)


def softmax(scores, axis):
    shifted = scores - scores.max(axis=axis, keepdims=True)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=axis, keepdims=True)


def fit_mask(allowed, scores):
    """Lay the mask over the first pair of axes that has its size."""
    for axes in ((1, 3), (2, 3)):
        shape = [1, 1, 1, 1]
        for axis in axes:
            shape[axis] = scores.shape[axis]
        if shape[axes[0]] == shape[axes[1]] == len(allowed):
            return allowed.reshape(shape)
    raise ValueError("The mask fits nowhere.")


def multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads):
    queries = split_heads(x @ w_q, n_heads)
    keys = split_heads(x @ w_k, n_heads)
    values = split_heads(x @ w_v, n_heads)

    scores = queries @ keys.swapaxes(-1, -2) / np.sqrt(queries.shape[-1])
    masked_scores = np.where(fit_mask(causal_mask(x.shape[1]), scores), scores, -np.inf)
    weights = softmax(masked_scores, axis=-1)
    mixed = weights @ values
    return merge_heads(mixed) @ w_o, weights
