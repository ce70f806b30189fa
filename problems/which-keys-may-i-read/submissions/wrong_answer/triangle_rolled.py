"""The triangle is rolled to the right end."""

import numpy as np


def causal_keep(t_q, t_k):
    return np.roll(np.tril(np.ones((t_q, t_k), dtype=bool)), t_k - t_q, axis=1)
