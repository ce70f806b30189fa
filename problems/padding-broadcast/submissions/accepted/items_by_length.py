"""Items of one length are attended to together, without any mask: their keys and values are cut to the text."""

import numpy as np


def _split(projected, n_heads):
    return np.stack(np.split(projected, n_heads, axis=-1), axis=1)


def encoder_attention(x, w_q, w_k, w_v, w_o, n_heads, lengths):
    items, tokens, width = x.shape
    y, weights = np.empty((items, tokens, width)), np.zeros((items, n_heads, tokens, tokens))
    for length in np.unique(lengths):
        chosen = np.flatnonzero(lengths == length)
        text = x[chosen, :length]
        q, k, v = _split(x[chosen] @ w_q, n_heads), _split(text @ w_k, n_heads), _split(text @ w_v, n_heads)
        scores = q @ k.swapaxes(2, 3) / np.sqrt(q.shape[-1])
        exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares = exps / exps.sum(axis=-1, keepdims=True)
        weights[chosen, :, :, :length] = shares
        y[chosen] = np.concatenate([(shares @ v)[:, h] for h in range(n_heads)], axis=-1) @ w_o
    return y, weights
