"""Cross-attention of one head, the definition target position by target position."""

import numpy as np


def cross_attention(x, ctx, w_q, w_k, w_v, w_o):
    """Return y (Tq, m) and the weights (Tq, Tk), in double precision."""
    x, ctx, w_q, w_k, w_v, w_o = (np.asarray(a, dtype=np.float64) for a in (x, ctx, w_q, w_k, w_v, w_o))
    keys, values = ctx @ w_k, ctx @ w_v
    weights = np.zeros((len(x), len(ctx)))
    for i, query in enumerate(x @ w_q):
        scores = keys @ query / np.sqrt(len(query))
        exponentials = np.exp(scores - scores.max())
        weights[i] = exponentials / exponentials.sum()
    return weights @ values @ w_o, weights
