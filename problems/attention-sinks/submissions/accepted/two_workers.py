"""Two workers have half of the keys each; their parts are joined by log-sum-exps, and the sink joins once."""

import numpy as np


def attention(q, k, v, sink):
    scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])
    scores = np.where(np.tri(q.shape[1], dtype=bool), scores, -np.inf)

    half = (q.shape[1] + 1) // 2
    parts = [scores[:, :, :half], scores[:, :, half:]]
    logs = [np.logaddexp.reduce(part, axis=2, initial=-1e300) for part in parts]
    total = np.logaddexp.reduce([*logs, np.broadcast_to(sink[:, None], logs[0].shape)])
    weights = [np.exp(part - log[..., None]) * np.exp(log - total)[..., None] for part, log in zip(parts, logs)]
    h = weights[0] @ v[:, :half] + weights[1] @ v[:, half:]
    return h, np.concatenate(weights, axis=2)
