"""Unusual: plain Python numbers and nested lists, no NumPy."""

import math


def bucket(distance, n):
    half = n // 2
    if distance < half:
        return distance
    return min(half + math.floor(math.log(distance / half, 32 / half) * (n - half)), n - 1)


def t5_attention(q, k, v, table):
    q, k, v, table = q.tolist(), k.tolist(), v.tolist(), table.tolist()
    h, weights = [], []
    for i, query in enumerate(q):
        scores = [math.fsum(map(float.__mul__, query, k[j])) + table[bucket(i - j, len(table))] for j in range(i + 1)]
        exps = [math.exp(score - max(scores)) for score in scores]
        row = [value / math.fsum(exps) for value in exps] + [0.0] * (len(q) - i - 1)
        h.append([math.fsum(map(float.__mul__, row, column)) for column in zip(*v, strict=True)])
        weights.append(row)
    return h, weights
