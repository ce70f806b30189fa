import numpy as np

def stream(q, k, v, block):
    """The mass is kept as a logarithm."""
    qs = q / np.sqrt(q.shape[1])
    top = np.full(len(q), -np.inf)
    log_mass = np.full(len(q), -np.inf)
    mix = np.zeros((len(q), v.shape[1]))
    for a in range(0, len(k), block):
        s = qs @ k[a:a + block].T
        new = np.maximum(top, s.max(axis=1))
        e = np.exp(s - new[:, None])
        with np.errstate(all="ignore"):
            moved = np.where(np.isinf(top), -np.inf, log_mass + (top - new) / 2)
        log_mass = np.logaddexp(moved, np.log(e.sum(axis=1)))
        mix = mix * np.exp(top - new)[:, None] + e @ v[a:a + block]
        top = new
    return mix / np.exp(log_mass)[:, None]
