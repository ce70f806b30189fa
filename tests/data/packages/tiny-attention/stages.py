"""Stages of the small package: the mask of lengths, and attention of tokens over themselves."""

import numpy as np


def mask(lengths, n_tokens):
    return np.arange(n_tokens) < lengths[:, None]


def mask__own_length_counts(lengths, n_tokens):
    """A position at the length itself is taken for visible."""
    return np.arange(n_tokens) <= lengths[:, None]


def scores(x, w):
    if x.shape[1] != w.shape[0]:
        raise ValueError("the widths of x and w differ")
    x = np.asarray(x, np.float64)
    return x @ x.T / np.sqrt(x.shape[1])


def scores__scale_missing(x, w):
    """The scores are not divided by the root of the width."""
    return scores(x, w) * np.sqrt(x.shape[1])


def masked_scores(scores):
    return np.where(np.tri(len(scores), dtype=bool), scores, -np.inf)


def masked_scores__mask_missing(scores):
    """Every query reads every key."""
    return scores


def weights(masked_scores):
    exps = np.exp(masked_scores - masked_scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def output(weights, x, w):
    return weights @ (np.asarray(x, np.float64) @ np.asarray(w, np.float64))
