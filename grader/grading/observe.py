"""Measures arrays for an evidence record: shape, kind, extremes, sums, weight on hidden keys, a few rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from grader.grading.evidence_form import Deviation, HiddenKeys, Number, Observation, Range, Row
from grader.problems.cases import Case

ROW_NUMBERS_MAX: Final = 40
Array = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]


def number(value: float) -> Number:
    """Return a number as JSON can carry it."""
    value = float(value)
    if math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


def returned(case: Case, output: int, name: str, array: Array) -> Observation:
    """Observe what the submission returned, beside what was expected."""
    expected = case.expected[output] if output < len(case.expected) else None
    deviation = None
    if expected is not None and expected.shape == array.shape and array.dtype.kind in "fiub":
        deviation = _deviation(array, expected, case.bounds[output])
    hidden = case.future[output] if output < len(case.future) else None
    facts = {"of": "returned", "by": "submission", "is_claim": False, "dtype": array.dtype.name}
    return _observed(case, name, array, hidden, facts, deviation)


def reference_output(case: Case, output: int, name: str) -> Observation:
    """Observe what the reference returned."""
    array = case.expected[output]
    facts = {"of": "returned", "by": "reference", "is_claim": False, "dtype": array.dtype.name}
    return _observed(case, name, array, case.future[output], facts)


def stage(
    case: Case, name: str, array: Array, hidden: Mask | None, found: tuple[str, int | None] | None = None
) -> Observation:
    """Observe an intermediate.

    Args:
        hidden: the keys that no query may read.
        found: form and line of what the submission computed, which is its child's claim; None: the reference's.
    """
    if found is None:
        return _observed(case, name, array, hidden, {"of": "stage", "by": "reference", "dtype": array.dtype.name})
    form, line = found
    facts = {"of": "stage", "by": "submission", "is_claim": True, "form": form, "line": line}
    return _observed(case, name, array, hidden, facts)


def _observed(
    case: Case,
    name: str,
    array: Array,
    hidden: Mask | None,
    facts: Mapping[str, Any],
    deviation: Deviation | None = None,
) -> Observation:
    with np.errstate(all="ignore"):
        numbers = np.asarray(array, np.float64)
        finite = numbers[np.isfinite(numbers)]
        is_board = name == "weights" and numbers.ndim >= 2
        measured = {
            "case": case.name,
            "visibility": "sample" if case.is_sample else "secret",
            "name": name,
            "shape": array.shape,
            "nonfinite": numbers.size - finite.size,
            "smallest": number(finite.min()) if finite.size else None,
            "largest": number(finite.max()) if finite.size else None,
            "row_sums": _range(numbers.sum(axis=-1)) if is_board else None,
            "column_sums": _range(numbers.sum(axis=-2)) if is_board else None,
            "hidden_keys": _on_hidden_keys(numbers, hidden) if is_board else None,
            "rows": tuple(_rows(numbers, deviation)),
            "deviation": deviation,
        }
    unclaimed = {"is_claim": False, "form": None, "line": None, "dtype": None}
    return Observation.model_validate({**unclaimed, **facts, **measured})


def _range(sums: npt.NDArray[np.float64]) -> Range | None:
    return Range(smallest=number(sums.min()), largest=number(sums.max())) if sums.size else None


def _on_hidden_keys(numbers: npt.NDArray[np.float64], hidden: Mask | None) -> HiddenKeys | None:
    if hidden is None or hidden.shape != numbers.shape[-2:]:
        return None
    cells = numbers[..., hidden]
    return HiddenKeys(cells=cells.size, nonzero=int((cells != 0).sum()), mass=number(np.abs(cells).sum()))


def _rows(numbers: npt.NDArray[np.float64], deviation: Deviation | None) -> Iterator[Row]:
    """Yield the first, the middle, the last and the worst row."""
    if numbers.ndim == 0 or numbers.size == 0:
        return
    leading = numbers.shape[:-1]
    count = math.prod(leading)
    chosen = [np.unravel_index(at, leading) if leading else () for at in (0, count // 2, count - 1)]
    indices = [tuple(int(part) for part in index) for index in chosen]
    indices += [deviation.index[:-1]] if deviation and len(deviation.index) == numbers.ndim else []
    for index in dict.fromkeys(indices):
        yield Row(index=index, values=tuple(number(value) for value in numbers[index][:ROW_NUMBERS_MAX].tolist()))


def _deviation(array: Array, expected: Array, bounds: Array) -> Deviation | None:
    """Return the number that is furthest off, None where all agree."""
    with np.errstate(all="ignore"):
        mine, right = array.astype(np.float64), expected.astype(np.float64)
        is_same = (mine == right) | (np.isnan(mine) & np.isnan(right))
        excess = np.where(is_same, 0.0, np.nan_to_num(np.abs(mine - right) / bounds, nan=np.inf))
    off = int((excess > 1.0).sum())
    if not off:
        return None
    at = np.unravel_index(int(excess.argmax()), array.shape)
    return Deviation(
        index=tuple(int(part) for part in at), returned=number(mine[at]), expected=number(right[at]), off=off
    )
