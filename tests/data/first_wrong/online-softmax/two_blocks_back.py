import numpy as np
from itertools import count

def stream(q, k, v, block):
    qs = q * q.shape[1] ** -0.5
    maxima = [np.full((len(q), 1), -np.inf)]
    total = 0.0
    out = np.zeros((len(q), v.shape[1]))
    for n in count():
        part = slice(n * block, (n + 1) * block)
        if part.start >= len(k):
            break
        scores = qs @ k[part].T
        maxima.append(np.maximum(maxima[-1], scores.max(axis=-1, keepdims=True)))
        scale = np.exp(maxima[max(0, n - 1)] - maxima[-1]) if n else np.zeros((len(q), 1))
        weight = np.exp(scores - maxima[-1])
        total = scale * total + weight.sum(axis=-1, keepdims=True)
        out = scale * out + weight @ v[part]
    return out / total
