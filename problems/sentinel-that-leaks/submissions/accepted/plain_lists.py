"""Loops in plain Python over the open keys of each query; results are nested lists."""

import math


def attention(q, k, v, bias, keep):
    queries, keys, values = q.tolist(), k.tolist(), v.tolist()
    h, weights = [], []
    for query, biases, readable in zip(queries, bias.tolist(), keep.tolist()):
        open_keys = [j for j, may in enumerate(readable) if may]
        root = math.sqrt(len(query))
        scores = {j: sum(a * b for a, b in zip(query, keys[j])) / root + biases[j] for j in open_keys}
        best = max(scores.values())
        exps = {j: math.exp(score - best) for j, score in scores.items()}
        total = math.fsum(exps.values())
        weights.append([exps.get(j, 0.0) / total for j in range(len(keys))])
        h.append([math.fsum(exps[j] * values[j][c] for j in open_keys) / total for c in range(len(values[0]))])
    return h, weights
