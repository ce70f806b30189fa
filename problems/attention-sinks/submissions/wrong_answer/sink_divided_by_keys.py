"""The sink is divided by the number of keys, to be fair to long rows."""

import numpy as np


def attention(q, k, v, sink):
    scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])
    scores = np.where(np.tri(q.shape[1], dtype=bool), scores, -np.inf)
    counts = np.log(np.arange(1, q.shape[1] + 1))
    total = np.logaddexp(np.logaddexp.reduce(scores, axis=2), sink[:, None] - counts)
    weights = np.exp(scores - total[..., None])
    return weights @ v, weights
