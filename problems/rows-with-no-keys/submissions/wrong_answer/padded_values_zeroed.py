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
    values = np.where(text.swapaxes(-1, -2), v, 0.0)
    weights = softmax(np.where(causal, scores, -np.inf))
    h = weights @ values
    weights = weights * keep
    h = np.where(text.swapaxes(-1, -2), h, 0.0)
    return h, weights
