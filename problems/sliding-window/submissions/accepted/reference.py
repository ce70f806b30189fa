"""Local attention of one head, the definition row by row."""

import numpy as np


def local_attention(q, k, v, window):
    """Return h (T, e) and the weights (T, T) of queries and keys (T, d), in double precision."""
    q, k, v = (np.asarray(a, dtype=np.float64) for a in (q, k, v))
    tokens, size = q.shape
    scores = q @ k.T / np.sqrt(size)
    weights = np.zeros((tokens, tokens))
    for i in range(tokens):
        first = max(0, i - window + 1)  # i - j < window
        allowed = scores[i, first : i + 1]
        exponentials = np.exp(allowed - allowed.max())
        weights[i, first : i + 1] = exponentials / exponentials.sum()
    return weights @ v, weights
