"""A permutation puts the columns into three blocks; from there on it is the code for blocks."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(x, w_qkv, w_o, n_heads):
    items, tokens, _ = x.shape
    order = np.arange(w_qkv.shape[1]).reshape(n_heads, 3, -1).swapaxes(0, 1).ravel()
    blocks = np.split((x @ w_qkv)[..., order], 3, axis=-1)
    q, k, v = (block.reshape(items, tokens, n_heads, -1).transpose(0, 2, 1, 3) for block in blocks)
    scores = (q / np.sqrt(q.shape[-1])) @ k.transpose(0, 1, 3, 2)
    weights = softmax(scores - 1e9 * np.triu(np.ones((tokens, tokens)), k=1))
    return (weights @ v).transpose(0, 2, 1, 3).reshape(items, tokens, -1) @ w_o, weights
