"""W_V and W_O are one matrix; the mask is a comparison of positions."""

import numpy as np


def single_head_causal(x, w_q, w_k, w_v, w_o):
    position = np.arange(len(x))
    scores = np.einsum("if,jf->ij", x @ (w_q / np.sqrt(w_q.shape[1])), x @ w_k)
    scores = np.where(np.less.outer(position, position), -np.inf, scores)
    exps = np.exp(scores - np.nanmax(scores, axis=1, keepdims=True))
    weights = exps / np.einsum("ij->i", exps)[:, None]
    return weights @ (x @ (w_v @ w_o)), weights
