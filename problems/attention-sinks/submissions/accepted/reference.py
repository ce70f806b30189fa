"""Causal attention with a sink in each head, the definition row by row."""

import numpy as np


def attention(q, k, v, sink):
    """Return h (H, T, e) and the weights (H, T, T); what is missing to a row's sum of 1 is the sink's."""
    q, k, v, sink = (np.asarray(a, dtype=np.float64) for a in (q, k, v, sink))
    heads, tokens, size = q.shape
    weights = np.zeros((heads, tokens, tokens))
    for head in range(heads):
        for i in range(tokens):
            scores = k[head, : i + 1] @ q[head, i] / np.sqrt(size)
            best = max(scores.max(), sink[head])
            exponentials = np.exp(scores - best)
            weights[head, i, : i + 1] = exponentials / (exponentials.sum() + np.exp(sink[head] - best))
    return weights @ v, weights
