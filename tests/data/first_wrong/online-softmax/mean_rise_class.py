import numpy as np

class Running:
    """What is kept for all queries."""

    def __init__(self, n, e):
        self.top = np.full((n, 1), -np.inf)
        self.sum = np.zeros((n, 1))
        self.mix = np.zeros((n, e))

    def add(self, s, v):
        top = np.maximum(self.top, s.max(axis=1, keepdims=True))
        rise = (top - self.top).mean() if np.isfinite(self.top).all() else np.inf
        p = np.exp(s - top)
        self.sum *= np.exp(-rise)
        self.mix *= np.exp(-rise)
        self.sum += p.sum(axis=1, keepdims=True)
        self.mix += p @ v
        self.top = top

def stream(q, k, v, block):
    kept = Running(len(q), v.shape[1])
    for a in range(0, len(k), block):
        kept.add(q @ k[a:a + block].T / q.shape[1] ** 0.5, v[a:a + block])
    return kept.mix / kept.sum
