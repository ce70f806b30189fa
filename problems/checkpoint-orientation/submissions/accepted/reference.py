"""Self-attention with a checkpoint's tensors, the definition head by head."""

import numpy as np


def attention(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, o_weight, o_bias, n_heads):
    """Return y (B, T, m) and the weights (B, H, T, T), in double precision."""
    x, q_weight, k_weight, v_weight, o_weight = (
        np.asarray(a, dtype=np.float64) for a in (x, q_weight, k_weight, v_weight, o_weight)
    )
    items, tokens, width = x.shape
    size = len(q_weight) // n_heads
    y, weights = np.zeros((items, tokens, width)), np.zeros((items, n_heads, tokens, tokens))
    for b in range(items):
        for h in range(n_heads):
            own = slice(h * size, (h + 1) * size)  # rows of the projections, columns of the output projection
            q = x[b] @ q_weight[own].T + q_bias[own]
            k = x[b] @ k_weight[own].T + k_bias[own]
            v = x[b] @ v_weight[own].T + v_bias[own]
            scores = q @ k.T / np.sqrt(size)
            for i in range(tokens):
                allowed = scores[i, : i + 1]
                exponentials = np.exp(allowed - allowed.max())
                weights[b, h, i, : i + 1] = exponentials / exponentials.sum()
            y[b] += weights[b, h] @ v @ o_weight[:, own].T
    return y + o_bias, weights
