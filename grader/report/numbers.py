"""Measured numbers as pages print them: a few digits, a real minus sign, and what differs looks different."""

from __future__ import annotations

import math
from typing import Final

_DIGITS: Final = 6  # significant ones, of numbers that are held against each other
_DIGITS_MAX: Final = 17  # with so many any two differ


def measured(value: float | str, digits: int) -> str:
    """Return a measured number with a few significant digits; words of Python's for what is none are read."""
    return _text(float(value), f".{digits}g")


def told_apart(one: float | str, other: float | str) -> tuple[str, str]:
    """Return two numbers with the same count of significant digits, so many that they differ if the numbers do."""
    first, second = float(one), float(other)
    for digits in range(_DIGITS, _DIGITS_MAX + 1):
        texts = _text(first, f"#.{digits}g"), _text(second, f"#.{digits}g")
        if texts[0] != texts[1] or first == second:
            break
    return texts


def _text(value: float, how: str) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return format(value, how).rstrip(".").replace("-", "−") if value else "0"
