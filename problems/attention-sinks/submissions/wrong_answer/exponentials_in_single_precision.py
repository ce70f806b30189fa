"""Neither scores nor sink are shifted, and the exponentials are float32."""

import numpy as np


def attention(q, k, v, sink):
    scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])
    scores = np.where(np.tri(q.shape[1], dtype=bool), scores, -np.inf)
    with np.errstate(all="ignore"):
        exps = np.exp(scores).astype(np.float32)
        weights = exps / (exps.sum(axis=2, keepdims=True) + np.exp(sink).astype(np.float32)[:, None, None])
    weights = weights.astype(np.float64)
    return weights @ v, weights
