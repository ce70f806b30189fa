"""Each block is answered by itself and keeps its log-sum-exp; two answers are joined by the shares of their sums."""

import numpy as np


def _part(scores, v):
    total = np.logaddexp.reduce(scores, axis=1)
    return np.exp(scores - total[:, None]) @ v, total


def _join(one, other):
    total = np.logaddexp(one[1], other[1])
    return sum(np.exp(part - total)[:, None] * mixed for mixed, part in (one, other)), total


def stream(q, k, v, block):
    parts = [_part(q @ k[i : i + block].T / np.sqrt(q.shape[1]), v[i : i + block]) for i in range(0, len(k), block)]
    while len(parts) > 1:  # a tree of pairs, as workers would join them
        parts = [_join(*parts[i : i + 2]) if i + 1 < len(parts) else parts[i] for i in range(0, len(parts), 2)]
    return parts[0][0]
