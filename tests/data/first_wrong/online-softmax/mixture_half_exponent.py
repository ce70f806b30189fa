import numpy as np

def stream(q, k, v, block):
    n = len(q)
    m = np.full((n, 1), -np.inf)
    s = np.zeros((n, 1))
    o = np.zeros((n, v.shape[1]))
    at = 0
    while at < len(k):
        x = q @ k[at:at + block].T / np.sqrt(q.shape[1])
        m2 = np.maximum(m, x.max(axis=1, keepdims=True))
        x -= m2
        np.exp(x, out=x)
        d = m - m2
        s *= np.exp(d)
        s += x.sum(axis=1, keepdims=True)
        o *= np.exp(d / 2)
        o += x @ v[at:at + block]
        m = m2
        at += block
    return o / s
