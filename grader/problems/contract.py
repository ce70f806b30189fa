"""Holds what package code returns - arguments, layouts, expected outputs - against the contract of an entry.

What breaks it raises `InvalidPackage`; `where` begins the finding.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from grader.errors import InvalidPackage
from grader.problems.schema import EntrySpec
from grader.problems.shapes import ArrayType, IntegerType, ShapeError, fit
from grader.problems.spec_reader import key_part
from grader.sandbox.exchange import Answer
from grader.sandbox.wire import Refused, Value, WireError, decode_answer

LAYOUTS: Final = ("c", "fortran", "reversed", "every_second")
Array = npt.NDArray[Any]


def check_layouts(where: str, arguments: dict[str, Value], layouts: Value) -> None:
    """Hold a case's layouts against its arguments."""
    if not isinstance(layouts, dict):
        raise InvalidPackage([f"{where}: layout must be a dict; correct it."])
    arrays = [name for name, value in arguments.items() if isinstance(value, np.ndarray) and value.ndim]
    for name, layout in layouts.items():
        if name not in arrays:
            there = f"name one of {', '.join(arrays)}" if arrays else "remove it, for there is none with axes"
            raise InvalidPackage([f"{where}: layout.{key_part(name)}: no array argument has this name; {there}."])
        if not isinstance(layout, str) or layout not in LAYOUTS:
            raise InvalidPackage([f"{where}: layout.{name} must be one of {', '.join(LAYOUTS)}; correct it."])


def check_arguments(where: str, entry: EntrySpec, arguments: dict[str, Value], raising: bool) -> dict[str, int]:
    """Hold arguments against the contract and return the sizes of its names; a raising case may break the shapes."""
    sizes: dict[str, int] = {}
    pairs = []
    for name, kind in entry.parameter_types().items():
        value = arguments[name]
        if isinstance(kind, IntegerType):
            if type(value) is not int:
                raise InvalidPackage([f"{where}: {name} must be a Python int; correct it."])
            sizes[kind.name] = value
            continue
        allowed = {kind.dtype, *entry.accepts.get(name, ())}
        if not isinstance(value, np.ndarray) or value.dtype.name not in allowed:
            raise InvalidPackage([f"{where}: {name} must be an array of {' or '.join(sorted(allowed))}; correct it."])
        pairs += _axes(where, name, kind, value)
    if not raising:
        try:
            fit(pairs, sizes)
        except ShapeError as error:
            raise InvalidPackage([f"{where}: the arguments break the contract: {error}; correct it."]) from None
    return sizes


def _axes(where: str, name: str, kind: ArrayType, array: Array) -> list[Any]:
    count = len(kind.dimensions)
    if array.ndim < count or (array.ndim > count and not kind.open_front):
        raise InvalidPackage(
            [f"{where}: {name} has {array.ndim} axes, the contract says {kind.shape_text()}; correct it."]
        )
    return list(zip(kind.dimensions, array.shape[array.ndim - count :], strict=True))


def expected_arrays(where: str, entry: EntrySpec, answer: Answer) -> tuple[Array, ...]:
    """Return the arrays of a reference's answer, which must be as many as the entry has outputs, and repeatable."""
    try:
        is_sequence, _, items = decode_answer(answer.first)
    except WireError:
        raise InvalidPackage([f"{where}: its answer is malformed; correct it."]) from None
    wanted = len(entry.outputs)
    arrays = tuple(item for item in items if not isinstance(item, Refused))
    if any(isinstance(item, Refused) and item.kind == "huge" for item in items):
        raise InvalidPackage([f"{where}: returns more than an answer may hold; make the inputs smaller."])
    if is_sequence != (wanted > 1) or len(items) != wanted or len(arrays) != wanted:
        raise InvalidPackage([f"{where}: must return {' and '.join(entry.outputs)} as plain arrays; correct it."])
    if not answer.unchanged:
        raise InvalidPackage([f"{where}: changes its inputs; let it copy what it changes."])
    if answer.again != answer.first:
        raise InvalidPackage([f"{where}: answers differently the second time; let it compute from its inputs alone."])
    return arrays


def check_expected(where: str, entry: EntrySpec, expected: tuple[Array, ...], sizes: dict[str, int]) -> None:
    """Hold expected outputs against the contract."""
    for (name, kind), array in zip(entry.output_types().items(), expected, strict=True):
        if array.dtype.kind != np.dtype(kind.dtype).kind:
            raise InvalidPackage(
                [f"{where}: {name} is {array.dtype}, the contract says {kind.dtype}; correct one of them."]
            )
        try:
            fit(_axes(where, name, kind, array), sizes)
        except ShapeError as error:
            raise InvalidPackage(
                [f"{where}: the shape of {name} breaks the contract: {error}; correct one of them."]
            ) from None
        if not np.isfinite(array).all():
            raise InvalidPackage([f"{where}: {name} is not finite; keep the inputs in the graded range."])
        if entry.exact_zeros.get(name) == "future" and np.triu(array, 1).any():
            raise InvalidPackage([f"{where}: {name} is not exactly zero above the diagonal; correct the reference."])
