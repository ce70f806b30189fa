"""The gain of the keys on the queries and that of the queries on the keys: the products are the same."""

import numpy as np


def _rms_norm(vectors, gain):
    return vectors * gain / np.sqrt(np.einsum("...d,...d->...", vectors, vectors)[..., None] / vectors.shape[-1] + 1e-6)


def attention(q, k, v, g_q, g_k):
    scores = np.einsum("bhid,bhjd->bhij", _rms_norm(q, g_k), _rms_norm(k, g_q)) / q.shape[-1] ** 0.5
    rows, columns = np.indices(scores.shape[-2:])
    scores[..., rows < columns] = -np.inf
    weights = np.exp(scores - np.logaddexp.reduce(scores, axis=-1)[..., None])
    return np.einsum("bhij,bhje->bhie", weights, v), weights
