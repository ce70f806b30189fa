"""The bias joins the product: T more features, in which query i has row i of the bias and key j is a unit vector."""

import numpy as np


def attention(q, k, v, bias, keep):
    queries = np.hstack([q / np.sqrt(q.shape[1]), bias])
    keys = np.hstack([k, np.eye(len(k))])
    scores = np.where(keep, queries @ keys.T, -np.inf)
    total = np.logaddexp.reduce(scores, axis=1)
    weights = np.exp(scores - total[:, None])
    return weights @ v, weights
