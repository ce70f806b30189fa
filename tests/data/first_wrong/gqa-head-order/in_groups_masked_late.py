import numpy as np


def gqa(q, k, v):
    members = q.shape[1] // k.shape[1]
    seen = np.tri(q.shape[2], dtype=bool)
    b, h, t, d = q.shape
    g = k.shape[1]
    s = np.einsum("bgmtd,bgsd->bgmts", q.reshape(b, g, members, t, d), k) / np.sqrt(d)
    e = np.exp(s - s.max(-1, keepdims=True))
    w = e / e.sum(-1, keepdims=True)
    w = w * seen
    y = np.einsum("bgmts,bgse->bgmte", w, v)
    return y.reshape(b, h, t, -1), w.reshape(b, h, t, t)
