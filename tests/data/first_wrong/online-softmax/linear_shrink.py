import numpy as np

def stream(q, k, v, block):
    """The shrinking is taken to first order."""
    n = len(q)
    state = np.zeros((n, v.shape[1] + 1))          # mixture and mass side by side
    best = np.full(n, -np.inf)
    wide = np.column_stack([v, np.ones(len(v))])
    for start in range(0, len(k), block):
        z = (q / np.sqrt(q.shape[1])) @ k[start:start + block].T
        now = np.maximum(best, z.max(1))
        with np.errstate(all="ignore"):
            shrink = np.where(np.isinf(best), 0.0, np.maximum(0.0, 1 + best - now))
        state = shrink[:, None] * state + np.exp(z - now[:, None]) @ wide[start:start + block]
        best = now
    return state[:, :-1] / state[:, -1:]
