"""All masks are written into one buffer, and views of it are returned."""

import numpy as np

_BUFFER = np.empty(40000, dtype=bool)


def causal_keep(t_q, t_k):
    keep = _BUFFER[: t_q * t_k].reshape(t_q, t_k)
    np.less_equal(np.arange(t_k), np.arange(t_q)[:, None] + t_k - t_q, out=keep)
    return keep
