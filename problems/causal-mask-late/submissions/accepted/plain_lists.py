"""No matrix product: loops over tokens in plain Python, results as nested lists."""

import math


def _times(row, matrix):
    return [math.fsum(a * b for a, b in zip(row, column)) for column in zip(*matrix)]


def single_head_causal(x, w_q, w_k, w_v, w_o):
    x, w_q, w_k, w_v, w_o = (a.tolist() for a in (x, w_q, w_k, w_v, w_o))
    q, k, v = ([_times(row, w) for row in x] for w in (w_q, w_k, w_v))
    y, weights = [], []
    for i, query in enumerate(q):
        scores = [sum(map(float.__mul__, query, key)) / math.sqrt(len(key)) for key in k[: i + 1]]
        exps = [math.exp(score - max(scores)) for score in scores]
        row = [value / math.fsum(exps) for value in exps]
        weights.append(row + [0.0] * (len(x) - i - 1))
        y.append(_times(_times(row, v[: i + 1]), w_o))
    return y, weights
