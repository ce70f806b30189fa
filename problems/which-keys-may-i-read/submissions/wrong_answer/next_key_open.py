"""The diagonal lies one too far to the right."""

import numpy as np


def causal_keep(t_q, t_k):
    return np.tril(np.ones((t_q, t_k), dtype=bool), k=t_k - t_q + 1)
