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
    weights = softmax(scores) * keep
    return weights @ v, weights
