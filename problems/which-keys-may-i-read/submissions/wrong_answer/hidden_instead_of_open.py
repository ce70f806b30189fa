"""True where a key is hidden."""

import numpy as np


def causal_keep(t_q, t_k):
    query = np.arange(t_q)[:, None] + t_k - t_q
    return np.arange(t_k)[None, :] > query
