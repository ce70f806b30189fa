"""Divide and conquer over the keys: two partial softmaxes are merged by their log-sums."""

import numpy as np


def _partial(scores, values):
    """Return log-sum, mixed values and weights of one query over a run of keys."""
    if len(scores) == 1:
        return scores[0], values[0], np.ones(1)
    half = len(scores) // 2
    log_a, mix_a, w_a = _partial(scores[:half], values[:half])
    log_b, mix_b, w_b = _partial(scores[half:], values[half:])
    log_sum = np.logaddexp(log_a, log_b)
    share_a, share_b = np.exp(log_a - log_sum), np.exp(log_b - log_sum)
    return log_sum, share_a * mix_a + share_b * mix_b, np.concatenate([share_a * w_a, share_b * w_b])


def single_head_causal(x, w_q, w_k, w_v, w_o):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    mixed, weights = [], np.zeros((len(x), len(x)))
    for i in range(len(x)):
        _, row, weights[i, : i + 1] = _partial(k[: i + 1] @ q[i] / np.sqrt(q.shape[1]), v)
        mixed.append(row)
    return np.stack(mixed) @ w_o, weights
