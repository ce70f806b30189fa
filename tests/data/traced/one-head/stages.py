"""Stages of one causal head, and one way to be wrong."""

import numpy as np


def queries(x, w_q):
    return x @ w_q


def keys(x, w_k):
    return x @ w_k


def values(x, w_v):
    return x @ w_v


def scores(queries, keys):
    return queries @ keys.T / np.sqrt(queries.shape[1])


def masked_scores(scores):
    return np.where(np.tri(len(scores), dtype=bool), scores, -np.inf)


def masked_scores__mask_missing(scores):
    """Every query reads every key."""
    return scores


def weights(masked_scores):
    exps = np.exp(masked_scores - masked_scores.max(axis=1, keepdims=True))
    return exps / exps.sum(axis=1, keepdims=True)


def mixed_values(weights, values):
    return weights @ values


def output(mixed_values, w_o):
    return mixed_values @ w_o
