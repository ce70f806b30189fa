"""Unusual: plain Python numbers and nested lists, no NumPy."""

import math


def product(a, b):
    columns = list(zip(*b, strict=True))
    return [[math.fsum(p * q for p, q in zip(row, column, strict=True)) for column in columns] for row in a]


def softmax(scores):
    top = max(scores)
    exps = [math.exp(score - top) for score in scores]
    total = math.fsum(exps)
    return [value / total for value in exps]


def cross_attention(x, ctx, w_q, w_k, w_v, w_o):
    x, ctx, w_q, w_k, w_v, w_o = (array.tolist() for array in (x, ctx, w_q, w_k, w_v, w_o))
    queries, keys, values = product(x, w_q), product(ctx, w_k), product(ctx, w_v)
    root = math.sqrt(len(keys[0]))
    scores = product(queries, list(zip(*keys, strict=True)))
    weights = [softmax([score / root for score in row]) for row in scores]
    return product(product(weights, values), w_o), weights
