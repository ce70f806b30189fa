"""Unusual: einsum with numbered axes in place of letters; the values meet W_O before they are mixed."""

import numpy as np

B, H, I, J, M, D, E, N = range(8)


def attention(x, w_q, w_k, w_v, w_o, n_heads):
    w_q, w_k, w_v = (w.reshape(w.shape[0], n_heads, -1) for w in (w_q, w_k, w_v))
    q = np.einsum(x, [B, I, M], w_q, [M, H, D], [B, H, I, D])
    k = np.einsum(x, [B, J, M], w_k, [M, H, D], [B, H, J, D])
    scores = np.einsum(q, [B, H, I, D], k, [B, H, J, D], [B, H, I, J]) / np.sqrt(q.shape[3])
    scores[:, :, ~np.tri(x.shape[1], dtype=bool)] = -np.inf
    logs = scores - np.logaddexp.reduce(scores, axis=3, keepdims=True)
    weights = np.exp(logs)
    value_to_output = np.einsum(w_v, [M, H, E], w_o.reshape(n_heads, -1, w_o.shape[1]), [H, E, N], [M, H, N])
    carried = np.einsum(x, [B, J, M], value_to_output, [M, H, N], [B, H, J, N])
    return np.einsum(weights, [B, H, I, J], carried, [B, H, J, N], [B, I, N]), weights
