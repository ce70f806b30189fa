import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(q, k, v, pad):
    position = np.arange(q.shape[2])
    causal = position <= position[:, None]
    text = (position >= pad[:, None])[:, None, None, :]
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    keep = causal & text
    hidden = np.where(keep, scores, -1e9)
    weights = np.where(hidden.max(axis=-1, keepdims=True) < -1e5, 0.0, softmax(hidden))
    return weights @ v, weights
