import functools
import numpy as np

def stream(q, k, v, block):
    d = q.shape[1]
    def step(state, at):
        peak, mass, mixture = state
        s = q @ k[at:at + block].T / np.sqrt(d)
        higher = np.maximum(peak, s.max(axis=1))
        decay = 10.0 ** (peak - higher)
        e = np.exp(s - higher[:, np.newaxis])
        return higher, mass * decay + e.sum(axis=1), mixture * decay[:, np.newaxis] + e @ v[at:at + block]
    start = np.full(len(q), -np.inf), np.zeros(len(q)), np.zeros((len(q), v.shape[1]))
    _, mass, mixture = functools.reduce(step, range(0, len(k), block), start)
    return mixture / mass[:, np.newaxis]
