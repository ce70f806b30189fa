"""One causal pass over the whole text, the definition token by token; how the text is cut does not matter."""

import numpy as np


def _rotated(x):
    half = x.shape[1] // 2
    turned = np.zeros_like(x)
    for position, row in enumerate(x):
        for i in range(half):
            angle = position * 10000.0 ** (-2 * i / x.shape[1])
            turned[position, i] = row[i] * np.cos(angle) - row[i + half] * np.sin(angle)
            turned[position, i + half] = row[i] * np.sin(angle) + row[i + half] * np.cos(angle)
    return turned


def decode(q, k, v, chunks):
    """Return the mixed values h (T, e)."""
    q, k, v = (np.asarray(a, dtype=np.float64) for a in (q, k, v))
    queries, keys = _rotated(q), _rotated(k)
    h = np.zeros_like(v)
    for token in range(len(q)):
        scores = keys[: token + 1] @ queries[token] / np.sqrt(q.shape[1])
        exponentials = np.exp(scores - scores.max())
        h[token] = exponentials @ v[: token + 1] / exponentials.sum()
    return h
