"""Unusual: softmax in base 2 over sorted scores, scattered back to their keys; the shift is no maximum but near it."""

import numpy as np

LOG2_E = 1 / np.log(2.0)


def softmax_of_sorted(scores):
    order = np.argsort(scores, axis=-1)[..., ::-1]
    falling = np.take_along_axis(scores, order, axis=-1)
    powers = np.exp2((falling - np.floor(falling[..., :1])) * LOG2_E)
    shares = powers / np.cumsum(powers[..., ::-1], axis=-1)[..., -1:]
    weights = np.zeros_like(scores)
    np.put_along_axis(weights, order, shares, axis=-1)
    return weights


def multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads):
    x = x.astype(np.float64)
    d, e = (w.shape[1] // n_heads for w in (w_k, w_v))
    future = np.triu_indices(x.shape[1], k=1)
    y, all_weights = 0.0, []
    for head in range(n_heads):
        q, k = (x @ w[:, head * d : (head + 1) * d] for w in (w_q, w_k))
        scores = np.matmul(q, np.moveaxis(k, 1, 2)) * d**-0.5
        scores[:, future[0], future[1]] = -np.inf
        all_weights.append(softmax_of_sorted(scores))
        rows = slice(head * e, (head + 1) * e)
        y = y + all_weights[-1] @ (x @ w_v[:, rows] @ w_o[rows])
    return y, np.stack(all_weights, axis=1)
