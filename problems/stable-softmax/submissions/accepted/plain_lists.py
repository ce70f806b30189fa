"""Plain Python: lists of any depth."""

import math


def softmax(scores):
    return _over(scores.tolist())


def _over(scores):
    if isinstance(scores[0], list):
        return [_over(part) for part in scores]
    exps = [math.exp(score - max(scores)) for score in scores]
    return [value / math.fsum(exps) for value in exps]
