"""Loops in plain Python; results are nested lists."""

import math


def _times(rows, matrix):
    return [[math.fsum(a * b for a, b in zip(row, column)) for column in zip(*matrix)] for row in rows]


def _row(query, keys):
    scores = [sum(a * b for a, b in zip(query, key)) / math.sqrt(len(query)) for key in keys]
    exps = [math.exp(score - max(scores)) for score in scores]
    return [value / math.fsum(exps) for value in exps]


def attention(x, w_qkv, w_o, n_heads):
    w_qkv, w_o = w_qkv.tolist(), w_o.tolist()
    d = len(w_o) // n_heads
    y, weights = [], []
    for item in x.tolist():
        projected = _times(item, w_qkv)
        merged, kept = [[] for _ in item], []
        for start in range(0, 3 * d * n_heads, 3 * d):
            q, k, v = ([row[start + part * d : start + (part + 1) * d] for row in projected] for part in range(3))
            shares = [_row(query, k[: i + 1]) for i, query in enumerate(q)]
            for row, share in zip(merged, shares):
                row += [math.fsum(a * value[j] for a, value in zip(share, v)) for j in range(d)]
            kept.append([share + [0.0] * (len(item) - len(share)) for share in shares])
        y.append(_times(merged, w_o))
        weights.append(kept)
    return y, weights
