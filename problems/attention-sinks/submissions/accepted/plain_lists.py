"""Loops in plain Python; results are nested lists."""

import math


def _row(query, keys, sink):
    scores = [math.fsum(map(float.__mul__, query, key)) / math.sqrt(len(query)) for key in keys]
    best = max(*scores, sink)
    exps = [math.exp(score - best) for score in scores]
    total = math.fsum([*exps, math.exp(sink - best)])
    return [value / total for value in exps]


def attention(q, k, v, sink):
    h, weights = [], []
    for queries, keys, values, own in zip(q.tolist(), k.tolist(), v.tolist(), sink.tolist()):
        rows = [_row(query, keys[: i + 1], own) for i, query in enumerate(queries)]
        columns = list(zip(*values))
        h.append([[math.fsum(map(float.__mul__, row, column)) for column in columns] for row in rows])
        weights.append([row + [0.0] * (len(keys) - len(row)) for row in rows])
    return h, weights
