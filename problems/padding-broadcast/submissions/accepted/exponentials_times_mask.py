"""The maximum is that of the text; exponentials of the padding are multiplied by 0, before the sum is taken."""

import numpy as np


def encoder_attention(x, w_q, w_k, w_v, w_o, n_heads, lengths):
    items, tokens, _ = x.shape
    q, k, v = ((x @ w).reshape(items, tokens, n_heads, -1).transpose(2, 0, 1, 3) for w in (w_q, w_k, w_v))
    text = (np.arange(tokens) < lengths[:, None])[:, None].astype(float)  # heads come first here: (B, 1, T) fits
    scores = q @ k.swapaxes(-1, -2) * q.shape[-1] ** -0.5
    best = np.max(scores, axis=-1, keepdims=True, where=text > 0, initial=-1e300)
    exps = np.exp(np.minimum(scores - best, 0.0)) * text
    weights = exps / np.einsum("hbij->hbi", exps)[..., None]
    joined = np.concatenate(list(weights @ v), axis=-1)
    return joined @ w_o, weights.swapaxes(0, 1)
