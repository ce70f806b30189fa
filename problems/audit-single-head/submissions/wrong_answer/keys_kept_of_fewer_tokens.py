import numpy as np


_last = []


def single_head_causal(x, w_q, w_k, w_v, w_o):
    q = x @ w_q
    k = x @ w_k
    v = x @ w_v
    if _last:
        tokens, keys, values = _last
        n = len(tokens)
        fits = (keys.shape[1], values.shape[1]) == (k.shape[1], v.shape[1])
        if n < len(x) and fits and np.array_equal(tokens, x[:n]):
            k[:n], v[:n] = keys, values
    _last[:] = x.copy(), k, v
    scores = q @ k.T / np.sqrt(q.shape[1])
    masked = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    e = np.exp(masked - masked.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    mixed = weights @ v
    y = mixed @ w_o
    return y, weights
