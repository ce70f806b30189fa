"""Loops in plain Python; results are nested lists."""

import math


def _norm(vector, gain):
    root = math.sqrt(math.fsum(x * x for x in vector) / len(vector) + 1e-6)
    return [x / root * g for x, g in zip(vector, gain)]


def _row(query, keys):
    scores = [math.fsum(map(float.__mul__, query, key)) / math.sqrt(len(query)) for key in keys]
    exps = [math.exp(score - max(scores)) for score in scores]
    return [value / math.fsum(exps) for value in exps]


def attention(q, k, v, g_q, g_k):
    g_q, g_k = g_q.tolist(), g_k.tolist()
    h, weights = [], []
    for item in zip(q.tolist(), k.tolist(), v.tolist()):
        h.append([])
        weights.append([])
        for queries, keys, values in zip(*item):
            keys = [_norm(key, g_k) for key in keys]
            rows = [_row(_norm(query, g_q), keys[: i + 1]) for i, query in enumerate(queries)]
            rows = [row + [0.0] * (len(keys) - len(row)) for row in rows]
            columns = list(zip(*values))
            h[-1].append([[math.fsum(map(float.__mul__, row, column)) for column in columns] for row in rows])
            weights[-1].append(rows)
    return h, weights
