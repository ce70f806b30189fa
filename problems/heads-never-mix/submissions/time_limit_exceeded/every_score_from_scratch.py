"""Right, but every number of y recomputes every projection it needs: hopeless for 40 tokens."""

import math

import numpy as np


def project(token, matrix, column):
    return sum(value * row[column] for value, row in zip(token, matrix, strict=True))


def score(item, w_q, w_k, head, d, i, j):
    columns = range(head * d, (head + 1) * d)
    return sum(project(item[i], w_q, c) * project(item[j], w_k, c) for c in columns) / math.sqrt(d)


def weight(item, w_q, w_k, head, d, i, j):
    if j > i:
        return 0.0
    scores = [score(item, w_q, w_k, head, d, i, n) for n in range(i + 1)]
    top = max(scores)
    return math.exp(scores[j] - top) / sum(math.exp(s - top) for s in scores)


def multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads):
    batch, tokens, width = x.shape
    d, e = w_q.shape[1] // n_heads, w_v.shape[1] // n_heads
    weights = np.zeros((batch, n_heads, tokens, tokens))
    y = np.zeros((batch, tokens, width))
    x, w_q, w_k, w_v, w_o = x.tolist(), w_q.tolist(), w_k.tolist(), w_v.tolist(), w_o.tolist()
    for b, h, i, j in np.ndindex(weights.shape):
        weights[b, h, i, j] = weight(x[b], w_q, w_k, h, d, i, j)
        for column, feature in np.ndindex(e, width):
            share = weight(x[b], w_q, w_k, h, d, i, j) * project(x[b][j], w_v, h * e + column)
            y[b, i, feature] += share * w_o[h * e + column][feature]
    return y, weights
