"""Loops in plain Python; results are nested lists."""

import math


def _head(queries, keys, values):
    weights, mixed = [], []
    for i, query in enumerate(queries):
        scores = [sum(a * b for a, b in zip(query, key)) / math.sqrt(len(query)) for key in keys[: i + 1]]
        exps = [math.exp(score - max(scores)) for score in scores]
        row = [value / math.fsum(exps) for value in exps]
        weights.append(row + [0.0] * (len(keys) - i - 1))
        mixed.append([math.fsum(a * value[c] for a, value in zip(row, values)) for c in range(len(values[0]))])
    return mixed, weights


def gqa(q, k, v):
    h, weights = [], []
    for queries, keys, values in zip(q.tolist(), k.tolist(), v.tolist()):
        members = len(queries) // len(keys)
        found = [_head(queries[n], keys[n // members], values[n // members]) for n in range(len(queries))]
        h.append([mixed for mixed, _ in found])
        weights.append([each for _, each in found])
    return h, weights
