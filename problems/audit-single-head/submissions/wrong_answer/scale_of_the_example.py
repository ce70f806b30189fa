import numpy as np

SCALE = 2**-0.5  # key size 2


def single_head_causal(x, w_q, w_k, w_v, w_o):
    x, w_q, w_k, w_v, w_o = (np.asarray(a, dtype=np.float64) for a in (x, w_q, w_k, w_v, w_o))
    q = x @ w_q
    k = x @ w_k
    v = x @ w_v
    scores = q @ k.T * SCALE
    masked = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    e = np.exp(masked - masked.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    mixed = weights @ v
    y = mixed @ w_o
    return y, weights
