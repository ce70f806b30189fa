"""No NumPy: lists of Python floats in, nested lists out."""

import math


def _dot(a, b):
    return math.fsum(p * r for p, r in zip(a, b, strict=True))


def _product(a, b):
    columns = list(zip(*b, strict=True))
    return [[_dot(row, column) for column in columns] for row in a]


def single_head_causal(x, w_q, w_k, w_v, w_o):
    x, w_q, w_k, w_v, w_o = (a.tolist() for a in (x, w_q, w_k, w_v, w_o))
    queries, keys, values = _product(x, w_q), _product(x, w_k), _product(x, w_v)
    root = math.sqrt(len(queries[0]))
    weights = []
    for i, query in enumerate(queries):
        scores = [_dot(query, key) / root for key in keys[: i + 1]]
        highest = max(scores)
        terms = [math.exp(score - highest) for score in scores]
        total = math.fsum(terms)
        weights.append([term / total for term in terms] + [0.0] * (len(x) - i - 1))
    return [_product(_product(weights, values), w_o), weights]
