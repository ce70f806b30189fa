"""Loops in plain Python; results are nested lists."""

import math


def _product(rows, matrix):
    columns = list(zip(*matrix))
    return [[math.fsum(map(float.__mul__, row, column)) for column in columns] for row in rows]


def _cut(rows, n_heads):
    size = len(rows[0]) // n_heads
    return [[row[h * size : (h + 1) * size] for row in rows] for h in range(n_heads)]


def _shares(query, keys, tokens):
    scores = [math.fsum(map(float.__mul__, query, key)) / math.sqrt(len(query)) for key in keys]
    exps = [math.exp(score - max(scores)) for score in scores]
    return [value / math.fsum(exps) for value in exps] + [0.0] * (tokens - len(keys))


def encoder_attention(x, w_q, w_k, w_v, w_o, n_heads, lengths):
    w_q, w_k, w_v, w_o = w_q.tolist(), w_k.tolist(), w_v.tolist(), w_o.tolist()
    y, weights = [], []
    for item, length in zip(x.tolist(), lengths.tolist()):
        q, k, v = (_cut(_product(item, w), n_heads) for w in (w_q, w_k, w_v))
        weights.append([[_shares(query, keys[:length], len(item)) for query in asking] for asking, keys in zip(q, k)])
        mixed = [_product(rows, values) for rows, values in zip(weights[-1], v)]
        y.append(_product([sum(parts, []) for parts in zip(*mixed)], w_o))
    return y, weights
