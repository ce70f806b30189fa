"""Plain Python, one key at a time; results are nested lists."""

import math


def stream(q, k, v, block):
    keys, values = k.tolist(), v.tolist()
    root = math.sqrt(len(keys[0]))
    answers = []
    for query in q.tolist():
        best, total, mixed = -math.inf, 0.0, [0.0] * len(values[0])
        for key, value in zip(keys, values):
            score = sum(a * b for a, b in zip(query, key)) / root
            shrink, share = (1.0, math.exp(score - best)) if score <= best else (math.exp(best - score), 1.0)
            best, total = max(best, score), total * shrink + share
            mixed = [old * shrink + share * new for old, new in zip(mixed, value)]
        answers.append([number / total for number in mixed])
    return answers
