"""Causal self-attention of several heads, item by item, one named step per stage of the audit."""

import numpy as np


def softmax(scores):
    """Distribution over the last axis; a row has at least one finite score."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def split_heads(projected, n_heads):
    """(T, H*n) -> (H, T, n)."""
    tokens, width = projected.shape
    return projected.reshape(tokens, n_heads, width // n_heads).swapaxes(0, 1)


def one_item(x, w_q, w_k, w_v, w_o, n_heads):
    queries = split_heads(x @ w_q, n_heads)
    keys = split_heads(x @ w_k, n_heads)
    values = split_heads(x @ w_v, n_heads)
    scores = queries @ keys.swapaxes(-1, -2) / np.sqrt(queries.shape[-1])
    masked_scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    weights = softmax(masked_scores)
    mixed_values = weights @ values
    output = mixed_values.swapaxes(0, 1).reshape(len(x), -1) @ w_o
    return output, weights


def attention(x, w_q, w_k, w_v, w_o, n_heads):
    x, *matrices = (np.asarray(array, dtype=np.float64) for array in (x, w_q, w_k, w_v, w_o))
    outputs, weights = zip(*(one_item(item, *matrices, n_heads) for item in x), strict=True)
    return np.stack(outputs), np.stack(weights)
