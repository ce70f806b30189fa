"""Causal attention of several heads for a batch that is padded on the left."""

import numpy as np


def softmax(scores):
    """Softmax along the last axis, safe for large scores and for -inf; each row needs a finite score."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(q, k, v, pad):
    """Return the mixed values h (B, H, T, e) and the attention weights (B, H, T, T)."""
    tokens, size = q.shape[-2:]
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(size)

    position = np.arange(tokens)
    later = position[None, :] > position[:, None]
    padding = position < pad[:, None]
    hidden = (later & padding[:, None, None, :]) | padding[:, None, :, None]

    empty = hidden.all(axis=-1, keepdims=True)
    weights = softmax(np.where(hidden & ~empty, -np.inf, scores))
    weights = np.where(empty, 0.0, weights)
    return weights @ v, weights
