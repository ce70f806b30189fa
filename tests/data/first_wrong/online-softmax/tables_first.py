import numpy as np

def stream(q, k, v, block):
    """All maxima first, then all factors, then the sums."""
    s = q @ k.T / np.sqrt(q.shape[1])
    cuts = list(range(0, len(k), block))
    maxima = np.maximum.accumulate([s[:, a:a + block].max(axis=1) for a in cuts])
    rises = np.diff(maxima, axis=0, prepend=maxima[:1])
    keep = np.exp(-np.sqrt(rises))
    den, num = np.zeros(len(q)), np.zeros((len(q), v.shape[1]))
    for n, a in enumerate(cuts):
        e = np.exp(s[:, a:a + block] - maxima[n][:, None])
        den = keep[n] * den + e.sum(1)
        num = keep[n][:, None] * num + e @ v[a:a + block]
    return num / den[:, None]
