"""Unusual: everything in long double; the triangle multiplies the exponentials of a masked maximum."""

import numpy as np


def multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads):
    x, w_q, w_k, w_v, w_o = (np.array(a, dtype=np.longdouble) for a in (x, w_q, w_k, w_v, w_o))
    batch, tokens, _ = x.shape
    q, k, v = ((x @ w).reshape(batch, tokens, n_heads, -1).swapaxes(1, 2) for w in (w_q, w_k, w_v))
    scores = (q[:, :, :, None, :] * k[:, :, None, :, :]).sum(axis=-1) / np.sqrt(np.longdouble(q.shape[-1]))
    triangle = np.tri(tokens, dtype=bool)
    top = np.max(scores, axis=-1, keepdims=True, initial=-np.inf, where=triangle)
    shares = np.exp(np.minimum(scores - top, 0)) * triangle
    shares /= shares.sum(axis=-1, keepdims=True)
    return (shares @ v).swapaxes(1, 2).reshape(batch, tokens, -1) @ w_o, shares
