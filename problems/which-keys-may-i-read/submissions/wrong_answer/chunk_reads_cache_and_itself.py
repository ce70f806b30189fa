"""The cache and the own key are open; other keys of the chunk are not."""

import numpy as np


def causal_keep(t_q, t_k):
    keep = np.arange(t_k) < t_k - t_q
    keep = np.repeat(keep[None], t_q, axis=0)
    both = min(t_q, t_k)
    keep[np.arange(t_q - both, t_q), np.arange(t_k - both, t_k)] = True
    return keep
