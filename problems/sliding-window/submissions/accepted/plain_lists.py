"""Loops in plain Python; results are nested lists."""

import math


def local_attention(q, k, v, window):
    q, k, v = q.tolist(), k.tolist(), v.tolist()
    h, weights = [], []
    for i, query in enumerate(q):
        keys = [j for j in range(len(k)) if j <= i < j + window]
        scores = [sum(a * b for a, b in zip(query, k[j])) / math.sqrt(len(query)) for j in keys]
        exps = [math.exp(score - max(scores)) for score in scores]
        row = [0.0] * len(k)
        for j, value in zip(keys, exps):
            row[j] = value / math.fsum(exps)
        weights.append(row)
        h.append([math.fsum(row[j] * v[j][c] for j in keys) for c in range(len(v[0]))])
    return h, weights
