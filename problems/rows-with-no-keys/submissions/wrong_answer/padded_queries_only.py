import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(q, k, v, pad):
    position = np.arange(q.shape[2])
    causal = position <= position[:, None]
    text = (position >= pad[:, None])[:, None, None, :]
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    keep = causal & text.swapaxes(-1, -2)
    empty = ~keep.any(axis=-1, keepdims=True)
    weights = softmax(np.where(keep | empty, np.where(empty, 0.0, scores), -np.inf))
    weights = np.where(empty, 0.0, weights)
    return weights @ v, weights
