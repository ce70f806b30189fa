"""A named tuple as the container of the two results."""

from typing import NamedTuple

import numpy as np


class Attention(NamedTuple):
    y: np.ndarray
    weights: np.ndarray


def single_head_causal(x, w_q, w_k, w_v, w_o) -> Attention:
    similarity = x @ (w_q @ w_k.T) @ x.T / np.sqrt(w_q.shape[1])
    similarity[np.triu_indices(len(x), 1)] = -np.inf
    weights = np.exp(similarity - similarity.max(axis=1, keepdims=True))
    weights = weights / weights.sum(axis=1, keepdims=True)
    return Attention(y=weights @ x @ w_v @ w_o, weights=weights)
