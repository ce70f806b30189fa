"""Plain Python with exact sums; results are nested lists."""

import math


def attention_fp16(q, k, v):
    keys, columns = k.tolist(), v.T.tolist()
    h = []
    for query in q.tolist():
        scores = [math.fsum(a * b for a, b in zip(query, key)) / math.sqrt(len(query)) for key in keys]
        best = max(scores)
        exps = [math.exp(score - best) for score in scores]
        total = math.fsum(exps)
        h.append([math.fsum(map(float.__mul__, exps, column)) / total for column in columns])
    return h
