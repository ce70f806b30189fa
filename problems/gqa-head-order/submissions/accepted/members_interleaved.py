"""Members vary faster than tokens in the folded rows, so each row of the triangle comes r times."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def gqa(q, k, v):
    items, heads, tokens, size = q.shape
    key_heads = k.shape[1]
    members = heads // key_heads
    rows = q.reshape(items, key_heads, members, tokens, size).swapaxes(2, 3).reshape(items, key_heads, -1, size)
    scores = rows @ k.swapaxes(-1, -2) / np.sqrt(size)
    weights = softmax(np.where(np.repeat(np.tri(tokens), members, axis=0) > 0, scores, -np.inf))

    def unfolded(array):
        return array.reshape(items, key_heads, tokens, members, -1).swapaxes(2, 3).reshape(items, heads, tokens, -1)

    return unfolded(weights @ v), unfolded(weights)
