"""Unusual: dropout in the logarithm, after the log-sum-exp: minus infinity where dropped, else minus log(1 - rate)."""

import numpy as np


def attention(q, k, v, live, rate, training):
    scores = q @ k.T / np.sqrt(q.shape[1])
    best = scores.max(axis=1, keepdims=True)
    logs = scores - best - np.log(np.exp(scores - best).sum(axis=1, keepdims=True))
    kept = np.where(live | np.logical_not(training), 0.0, -np.inf) - np.log1p(-rate * float(training))
    return np.exp(logs + kept) @ v, np.exp(logs)
