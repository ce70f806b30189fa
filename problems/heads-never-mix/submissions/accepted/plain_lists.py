"""Unusual: plain Python numbers and nested lists, no NumPy."""

import math


def product(a, b):
    columns = list(zip(*b, strict=True))
    return [[math.fsum(p * q for p, q in zip(row, column, strict=True)) for column in columns] for row in a]


def softmax(scores):
    top = max(scores)
    exps = [math.exp(score - top) for score in scores]
    total = math.fsum(exps)
    return [value / total for value in exps]


def one_head(q, k, v):
    root = math.sqrt(len(q[0]))
    weights = []
    for i, query in enumerate(q):
        scores = [math.fsum(a * b for a, b in zip(query, key, strict=True)) / root for key in k[: i + 1]]
        weights.append(softmax(scores) + [0.0] * (len(k) - i - 1))
    return product(weights, v), weights


def blocks(matrix, n_heads):
    size = len(matrix[0]) // n_heads
    return [[row[h * size : (h + 1) * size] for row in matrix] for h in range(n_heads)]


def multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads):
    w_q, w_k, w_v, w_o = w_q.tolist(), w_k.tolist(), w_v.tolist(), w_o.tolist()
    y, weights = [], []
    for item in x.tolist():
        q, k, v = (blocks(product(item, w), n_heads) for w in (w_q, w_k, w_v))
        heads = [one_head(*parts) for parts in zip(q, k, v, strict=True)]
        merged = [[number for head in rows for number in head] for rows in zip(*(mix for mix, _ in heads), strict=True)]
        y.append(product(merged, w_o))
        weights.append([w for _, w in heads])
    return y, weights
