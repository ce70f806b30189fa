"""Only the product of the two gains enters a score, so the queries carry both of them."""

import numpy as np


def attention(q, k, v, g_q, g_k):
    tokens, size = q.shape[-2:]
    q, k = (a / np.sqrt(np.mean(a * a, axis=-1, keepdims=True) + 1e-6) for a in (q, k))
    scores = (q * (g_q * g_k / np.sqrt(size))) @ k.swapaxes(-1, -2)
    scores = scores + np.triu(np.full((tokens, tokens), -1e9), k=1)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ v, weights
