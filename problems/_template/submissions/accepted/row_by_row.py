"""Each query's row on its own, without a mask: the row is cut off behind the query."""

# Replace this by other right solutions, as unusual as you can think of: none of them may be refused.

import math


def causal_weights(scores):
    rows = []
    for query, row in enumerate(scores.tolist()):
        best = max(row[: query + 1])
        exps = [math.exp(score - best) for score in row[: query + 1]]
        total = math.fsum(exps)
        rows.append([value / total for value in exps] + [0.0] * (len(row) - query - 1))
    return rows
