"""The sum of a row is the log-sum-exp of its text; heads add to y through their own rows of w_o."""

import numpy as np


def encoder_attention(x, w_q, w_k, w_v, w_o, n_heads, lengths):
    hidden = np.arange(x.shape[1])[None, None] >= lengths[:, None, None]  # (B, 1, T)
    columns = (np.split(w, n_heads, axis=1) for w in (w_q, w_k, w_v))
    y, weights = 0.0, []
    for q_block, k_block, v_block, o_block in zip(*columns, np.split(w_o, n_heads)):
        scores = np.einsum("bim,mn,bjn->bij", x, q_block @ k_block.T, x) / np.sqrt(q_block.shape[1])
        scores = np.where(hidden, -np.inf, scores)
        weights.append(np.exp(scores - np.logaddexp.reduce(scores, axis=2, keepdims=True)))
        y = y + weights[-1] @ (x @ (v_block @ o_block))
    return y, np.stack(weights, axis=1)
