import numpy as np


def attend(x, w_q, w_k, w_v, w_o, n_heads):
    q, k, v = ((x @ w).reshape(len(x), n_heads, -1).swapaxes(0, 1) for w in (w_q, w_k, w_v))
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return (weights @ v).swapaxes(0, 1).reshape(len(x), -1) @ w_o, weights


def encoder_attention(x, w_q, w_k, w_v, w_o, n_heads, lengths):
    tokens = x.shape[1]
    y, weights = np.zeros_like(x), np.zeros((len(x), n_heads, tokens, tokens))
    for item, length in enumerate(lengths):
        y[item, :length], weights[item, :, :length, :length] = attend(x[item, :length], w_q, w_k, w_v, w_o, n_heads)
    return y, weights
