"""The logarithm of each denominator by logaddexp; there is no maximum."""

import numpy as np


def attention(q, k, v, sink):
    scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])
    scores = np.where(np.tri(q.shape[1], dtype=bool), scores, -np.inf)

    total = np.logaddexp(np.logaddexp.reduce(scores, axis=2), sink[:, None])
    weights = np.exp(scores - total[:, :, None])
    return np.einsum("hij,hje->hie", weights, v), weights
