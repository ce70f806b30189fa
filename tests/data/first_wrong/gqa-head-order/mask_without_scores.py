import numpy as np
def gqa(q, k, v):
    r = q.shape[1] // k.shape[1]
    kk, vv = np.repeat(k, r, 1), np.repeat(v, r, 1)
    s = q @ kk.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    s = np.where(np.tri(q.shape[2], dtype=bool), 0.0, -np.inf)
    w = np.exp(s - s.max(-1, keepdims=True)); w /= w.sum(-1, keepdims=True)
    w = w + np.zeros(q.shape[:2] + (1, 1))
    return w @ vv, w
