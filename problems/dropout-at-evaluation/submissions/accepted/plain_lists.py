"""Unusual: plain Python numbers and nested lists."""

import math


def attention(q, k, v, live, rate, training):
    q, k, v, live = q.tolist(), k.tolist(), v.tolist(), live.tolist()
    rate, training = float(rate), bool(training)
    h, weights = [], []
    for query, survives in zip(q, live, strict=True):
        scores = [math.fsum(a * b for a, b in zip(query, key, strict=True)) / math.sqrt(len(query)) for key in k]
        exps = [math.exp(score - max(scores)) for score in scores]
        row = [value / math.fsum(exps) for value in exps]
        weights.append(row)
        if training:
            row = [weight / (1 - rate) if alive else 0.0 for weight, alive in zip(row, survives, strict=True)]
        h.append([math.fsum(a * b for a, b in zip(row, column, strict=True)) for column in zip(*v, strict=True)])
    return h, weights
