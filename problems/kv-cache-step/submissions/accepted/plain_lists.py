"""Loops in plain Python; the result is a nested list."""

import math


def _rotated(row, position):
    half = len(row) // 2
    angles = [position * 10000.0 ** (-i / half) for i in range(half)]
    pairs = list(zip(row[:half], row[half:], angles))
    first = [a * math.cos(angle) - b * math.sin(angle) for a, b, angle in pairs]
    return first + [a * math.sin(angle) + b * math.cos(angle) for a, b, angle in pairs]


def decode(q, k, v, chunks):
    keys, values, h = [], [], []
    queries, new_keys, new_values = iter(q.tolist()), iter(k.tolist()), iter(v.tolist())
    for count in chunks.tolist():
        for _ in range(count):
            position = len(keys)
            query = _rotated(next(queries), position)
            keys.append(_rotated(next(new_keys), position))
            values.append(next(new_values))
            scores = [math.fsum(a * b for a, b in zip(query, key)) / math.sqrt(len(query)) for key in keys]
            exps = [math.exp(score - max(scores)) for score in scores]
            h.append([math.fsum(map(float.__mul__, exps, column)) / math.fsum(exps) for column in zip(*values)])
    return h
