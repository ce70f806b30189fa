"""Numbers as the lesson writes them: three decimals, and no nonzero number that looks like zero."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

_LARGE: Final = 1e4  # from here on powers of ten
DECIMALS: Final = 3


def figure(number: float, decimals: int = DECIMALS) -> str:
    """Return a number in plain ASCII."""
    number = float(number)
    if not np.isfinite(number):
        return str(number)
    if number == 0:
        number = 0.0  # no minus sign before it
    elif abs(number) < 0.5 * 10**-decimals:
        return f"{number:.0e}"
    elif abs(number) >= _LARGE:
        return f"{number:.{decimals}e}"
    return f"{number:.{decimals}f}"


def figures(numbers: Iterable[float]) -> str:
    """Return numbers in brackets."""
    return f"[{', '.join(map(figure, numbers))}]"


def shape_text(shape: tuple[int, ...]) -> str:
    """Return the shape of a matrix."""
    return f"({', '.join(map(str, shape))})"
