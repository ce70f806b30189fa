"""Loops in plain Python; results are nested lists."""

import math


def _row(query, keys, start):
    if not keys[start:]:
        return [0.0] * len(keys)
    scores = [sum(map(float.__mul__, query, key)) / math.sqrt(len(query)) for key in keys[start:]]
    exps = [math.exp(score - max(scores)) for score in scores]
    return [0.0] * start + [value / math.fsum(exps) for value in exps]


def attention(q, k, v, pad):
    h, weights = [], []
    for item, keys, values, start in zip(q.tolist(), k.tolist(), v.tolist(), pad.tolist()):
        h.append([])
        weights.append([])
        for queries, head_keys, head_values in zip(item, keys, values):
            rows = [_row(x, head_keys[: i + 1], min(start, i + 1)) for i, x in enumerate(queries)]
            rows = [row + [0.0] * (len(queries) - len(row)) for row in rows]
            columns = list(zip(*head_values))
            h[-1].append([[math.fsum(map(float.__mul__, row, column)) for column in columns] for row in rows])
            weights[-1].append(rows)
    return h, weights
