"""The shape grammar of contracts: `float64[B,T,H*d]`, `int H`; names, integers, `*`, `//` and a leading `...`.

No expression is ever evaluated as code: a dimension is a product of names and integers, or one quotient of two.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

ARRAY_DTYPES: Final = ("bool", "int64", "float32", "float64")
_ARRAY: Final = re.compile(r"(bool|int64|float32|float64)\[([^\]]*)\]")
_NAME: Final = r"[A-Za-z_][A-Za-z0-9_]{0,20}"
_INTEGER: Final = re.compile(rf"int ({_NAME})")
_FACTOR: Final = re.compile(rf"{_NAME}|[0-9]{{1,9}}")
Factor = str | int


class ShapeError(ValueError):
    """A contract's text is not of the grammar, or a shape does not fit it."""


@dataclass(frozen=True)
class Dimension:
    """A product of factors, divided by another one where `divisor` is not empty."""

    factors: tuple[Factor, ...]
    divisor: tuple[Factor, ...] = ()

    def value(self, sizes: dict[str, int]) -> int | None:
        """Return the extent, None while a name of it is unknown."""
        top, bottom = _product(self.factors, sizes), _product(self.divisor, sizes)
        if top is None or bottom is None:
            return None
        if bottom == 0:
            raise ShapeError("a division by zero in the contract")
        return top // bottom

    def __str__(self) -> str:
        text = "*".join(map(str, self.factors))
        return f"{text}//{'*'.join(map(str, self.divisor))}" if self.divisor else text


def _product(factors: Sequence[Factor], sizes: dict[str, int]) -> int | None:
    result = 1
    for factor in factors:
        extent = factor if isinstance(factor, int) else sizes.get(factor)
        if extent is None:
            return None
        result *= extent
    return result


@dataclass(frozen=True)
class ArrayType:
    """An array's contract: dtype name and dimensions, any number of axes before them where `open_front`."""

    dtype: str
    dimensions: tuple[Dimension, ...]
    open_front: bool = False

    def __str__(self) -> str:
        return f"{self.dtype} {self.shape_text()}"

    def shape_text(self) -> str:
        """Return the shape as a reader writes it: (B, T, m)."""
        parts = (["..."] if self.open_front else []) + [str(dimension) for dimension in self.dimensions]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


@dataclass(frozen=True)
class IntegerType:
    """A Python int, bound to a name that shapes may use."""

    name: str

    def __str__(self) -> str:
        return f"int {self.name}"


@lru_cache(1024)
def parse(text: str) -> ArrayType | IntegerType:
    """Parse the type of a parameter or an output.

    Raises:
        ShapeError: the text is not of the grammar.
    """
    text = text.strip()
    if match := _INTEGER.fullmatch(text):
        return IntegerType(match[1])
    match = _ARRAY.fullmatch(text)
    if match is None:
        raise ShapeError(f"{text!r} is not of the form float64[B,T,H*d] or int H (dtypes: {', '.join(ARRAY_DTYPES)})")
    parts = [part.strip() for part in match[2].split(",")] if match[2].strip() else []
    open_front = bool(parts) and parts[0] == "..."
    return ArrayType(match[1], tuple(map(_dimension, parts[open_front:])), open_front)


def _dimension(text: str) -> Dimension:
    top, sign, bottom = text.partition("//")
    divisor = _factors(bottom) if sign else ()
    if 0 in divisor:
        raise ShapeError(f"{text!r} divides by zero")
    return Dimension(_factors(top), divisor)


def _factors(text: str) -> tuple[Factor, ...]:
    factors = [factor.strip() for factor in text.split("*")]
    if not all(_FACTOR.fullmatch(factor) for factor in factors):
        raise ShapeError(f"{text!r} is no dimension: use names and integers joined by '*', and '//'")
    return tuple(int(factor) if factor.isdigit() else factor for factor in factors)


def fit(dimensions: Sequence[tuple[Dimension, int]], sizes: dict[str, int]) -> None:
    """Find the names' sizes from pairs of dimension and extent, adding them to `sizes`.

    Raises:
        ShapeError: the extents contradict the contract; the text names the dimension.
    """
    left = list(dimensions)
    while left:
        rest = [pair for pair in left if not _settle(*pair, sizes)]
        if len(rest) == len(left):
            names = ", ".join(str(dimension) for dimension, _ in rest)
            raise ShapeError(f"nothing fixes the sizes in {names}")
        left = rest


def _settle(dimension: Dimension, extent: int, sizes: dict[str, int]) -> bool:
    """Check a dimension whose names are known, or learn the only unknown one; False when it has to wait."""
    value = dimension.value(sizes)
    if value is not None:
        if value != extent:
            raise ShapeError(f"{dimension} is {value} elsewhere and {extent} here")
        return True
    unknown = [factor for factor in dimension.factors if isinstance(factor, str) and factor not in sizes]
    if dimension.divisor or len(unknown) != 1:
        return False
    known = _product([factor for factor in dimension.factors if factor != unknown[0]], sizes) or 0
    if known == 0 or extent % known:
        raise ShapeError(f"{dimension} cannot be {extent} where the rest of it is {known}")
    sizes[unknown[0]] = extent // known
    return True
