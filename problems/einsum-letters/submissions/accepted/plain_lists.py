"""Unusual: plain Python numbers and nested lists, one query after the other."""

import math


def dot(a, b):
    return math.fsum(p * q for p, q in zip(a, b, strict=True))


def product(rows, matrix):
    columns = list(zip(*matrix, strict=True))
    return [[dot(row, column) for column in columns] for row in rows]


def one_head(q, k, v):
    mixed, weights = [], []
    for i, query in enumerate(q):
        scores = [dot(query, key) / math.sqrt(len(query)) for key in k[: i + 1]]
        top = max(scores)
        exps = [math.exp(score - top) for score in scores]
        weights.append([value / math.fsum(exps) for value in exps] + [0.0] * (len(k) - i - 1))
        mixed.append([dot(weights[-1][: i + 1], column) for column in zip(*v[: i + 1], strict=True)])
    return mixed, weights


def attention(x, w_q, w_k, w_v, w_o, n_heads):
    w_q, w_k, w_v, w_o = w_q.tolist(), w_k.tolist(), w_v.tolist(), w_o.tolist()
    d, e = len(w_q[0]) // n_heads, len(w_v[0]) // n_heads
    y, weights = [], []
    for item in x.tolist():
        q, k, v = product(item, w_q), product(item, w_k), product(item, w_v)
        joined, rows = [[] for _ in item], []
        for h in range(n_heads):
            keys, values = slice(h * d, h * d + d), slice(h * e, h * e + e)
            mixed, shares = one_head([r[keys] for r in q], [r[keys] for r in k], [r[values] for r in v])
            rows.append(shares)
            joined = [old + new for old, new in zip(joined, mixed, strict=True)]
        y.append(product(joined, w_o))
        weights.append(rows)
    return y, weights
