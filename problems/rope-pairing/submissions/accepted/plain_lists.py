"""Plain Python, recursive over the axes in front; the result is a nested list."""

import math


def _turned(token, position):
    half = len(token) // 2
    angles = [position / 10000.0 ** (i / half) for i in range(half)]
    first, second = token[:half], token[half:]
    return [a * math.cos(t) - b * math.sin(t) for a, b, t in zip(first, second, angles)] + [
        a * math.sin(t) + b * math.cos(t) for a, b, t in zip(first, second, angles)
    ]


def _rope(x, positions):
    if isinstance(x[0][0], list):
        return [_rope(part, positions) for part in x]
    return [_turned(token, position) for token, position in zip(x, positions, strict=True)]


def rope(x, pos):
    return _rope(x.tolist(), pos.tolist())
