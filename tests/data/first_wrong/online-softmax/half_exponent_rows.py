"""Row by row, block by block, in plain Python numbers where it is short."""
import numpy as np

def stream(q, k, v, block):
    h = np.zeros((len(q), v.shape[1]))
    root = q.shape[1] ** 0.5
    for i in range(len(q)):
        top, mass, mix = -np.inf, 0.0, np.zeros(v.shape[1])
        for a in range(0, len(k), block):
            s = k[a:a + block] @ q[i] / root
            new = max(top, s.max())
            keep = np.exp((top - new) / 2)
            e = np.exp(s - new)
            mass = mass * keep + e.sum()
            mix = mix * keep + e @ v[a:a + block]
            top = new
        h[i] = mix / mass
    return h
