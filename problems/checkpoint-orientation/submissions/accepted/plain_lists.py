"""Loops in plain Python, a row of the checkpoint for each feature; results are nested lists."""

import math


def _linear(rows, weight, bias):
    return [[math.fsum(a * b for a, b in zip(row, out)) + add for out, add in zip(weight, bias)] for row in rows]


def _row(query, keys):
    scores = [sum(a * b for a, b in zip(query, key)) / math.sqrt(len(query)) for key in keys]
    exps = [math.exp(score - max(scores)) for score in scores]
    return [value / math.fsum(exps) for value in exps]


def attention(x, q_weight, q_bias, k_weight, k_bias, v_weight, v_bias, o_weight, o_bias, n_heads):
    d = len(q_bias) // n_heads
    layers = [(w.tolist(), b.tolist()) for w, b in ((q_weight, q_bias), (k_weight, k_bias), (v_weight, v_bias))]
    y, weights = [], []
    for item in x.tolist():
        projected = [_linear(item, *layer) for layer in layers]
        merged, kept = [[] for _ in item], []
        for start in range(0, d * n_heads, d):
            q, k, v = ([row[start : start + d] for row in rows] for rows in projected)
            shares = [_row(query, k[: i + 1]) for i, query in enumerate(q)]
            for row, share in zip(merged, shares):
                row += [math.fsum(a * value[j] for a, value in zip(share, v)) for j in range(d)]
            kept.append([share + [0.0] * (len(item) - len(share)) for share in shares])
        y.append(_linear(merged, o_weight.tolist(), o_bias.tolist()))
        weights.append(kept)
    return y, weights
