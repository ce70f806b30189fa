"""What a submission returned for the sample cases, beside what is expected: kept as JSON, so that a page needs no run.

Samples are no secret, and nothing of another case is kept here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from grader.grading.observe import number
from grader.problems.cases import Case
from grader.problems.composition import Outcome
from grader.problems.loader import Problem

NUMBERS_MAX: Final = 4096  # of one array that are kept; of a larger one its shape alone
RETURNED_MAX: Final = 8  # arrays of one answer; an entry has 4 outputs at most
DTYPES: Final = frozenset({"bool", "int64", "float16", "float32", "float64"})
Array = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Kept:
    """One array; values None: there were too many to keep."""

    dtype: str
    shape: tuple[int, ...]
    values: Array | None


@dataclass(frozen=True, eq=False)
class SampleOutputs:
    """One sample: the expected outputs by name, and what came back."""

    case: str
    entry: str
    names: tuple[str, ...]
    expected: tuple[Kept, ...]
    zeros: tuple[bool, ...]  # for each output, whether it is exactly 0 above the diagonal
    tolerance: tuple[float, float]  # rtol, atol
    raises: str | None  # the exception that is expected in place of outputs
    returned: tuple[Kept, ...] | None
    instead: str | None  # a word for what came in place of arrays; None as well where the case was not reached

    @property
    def agrees(self) -> bool:
        """Whether what came back is what is expected."""
        if self.returned is None or len(self.returned) != len(self.expected):
            return False
        return all(self._agrees(position) for position in range(len(self.expected)))

    def _agrees(self, position: int) -> bool:
        off = self.off(position)  # None as well where the shape is another one
        return off is not None and not off.any() and not self._leaks(position)

    def _leaks(self, position: int) -> bool:
        values, hidden = self.values(position), self.hidden(position)
        return values is not None and hidden is not None and bool(values[..., hidden].any())

    def hidden(self, position: int) -> Mask | None:
        """Return where an output must be exactly 0, None where nowhere."""
        shape = self.expected[position].shape
        return np.triu(np.ones(shape[-2:], bool), 1) if self.zeros[position] else None

    def off(self, position: int) -> Mask | None:
        """Return which numbers of an output are off by more than is allowed; None where that cannot be said."""
        right, mine = self.expected[position].values, self.values(position)
        if right is None or mine is None or mine.shape != right.shape:
            return None
        rtol, atol = self.tolerance
        with np.errstate(all="ignore"):
            numbers, wanted = mine.astype(np.float64), right.astype(np.float64)
            off: Mask = ~((np.abs(numbers - wanted) <= atol + rtol * np.abs(wanted)) | (numbers == wanted))
        return off

    def values(self, position: int) -> Array | None:
        """Return what came back for an output, None where it is not there."""
        if self.returned is None or position >= len(self.returned):
            return None
        return self.returned[position].values


def sample_outputs(
    problem: Problem, cases: Sequence[Case], outcomes: Sequence[Outcome | None]
) -> tuple[SampleOutputs, ...]:
    """Return the samples among cases that were judged, with what came back for each.

    Args:
        outcomes: of the cases in order, as a judged submission has them.
    """
    return tuple(
        case_outputs(problem, case, outcome) for case, outcome in zip(cases, outcomes, strict=False) if case.is_sample
    )


def case_outputs(problem: Problem, case: Case, outcome: Outcome | None) -> SampleOutputs:
    """Return what came back for one case; of a secret one it is for interviewers alone."""
    arrays = None if outcome is None or isinstance(outcome, str) or len(outcome) > RETURNED_MAX else outcome
    instead = "wrong_count" if arrays is None and isinstance(outcome, tuple) else outcome
    return SampleOutputs(
        case=case.name,
        entry=case.entry,
        names=tuple(problem.spec.entries[case.entry].outputs),
        expected=tuple(map(_kept, case.expected)),
        zeros=case.zeros,
        tolerance=case.tolerance,
        raises=case.raises,
        returned=tuple(map(_kept, arrays)) if arrays is not None else None,
        instead=instead if isinstance(instead, str) else None,
    )


def _kept(array: Array) -> Kept:
    is_known = array.dtype.name in DTYPES
    return Kept(array.dtype.name, array.shape, array if is_known else None)


def to_json(samples: Sequence[SampleOutputs]) -> str:
    """Return samples as JSON; of an array with too many numbers only dtype and shape."""
    return json.dumps([_fields(sample) for sample in samples], separators=(",", ":"))


def _fields(sample: SampleOutputs) -> dict[str, Any]:
    arrays = {"expected": sample.expected, "returned": sample.returned}
    others = ("case", "entry", "names", "zeros", "tolerance", "raises", "instead")
    written = {key: None if kept is None else [_array(one) for one in kept] for key, kept in arrays.items()}
    return {key: getattr(sample, key) for key in others} | written


def _array(kept: Kept) -> dict[str, Any]:
    is_small = kept.values is not None and kept.values.size <= NUMBERS_MAX
    values = [number(value) for value in kept.values.ravel().tolist()] if is_small and kept.values is not None else None
    return {"dtype": kept.dtype, "shape": kept.shape, "values": values}


def from_json(text: str) -> tuple[SampleOutputs, ...]:
    """Return the samples that `to_json` wrote."""
    return tuple(_read(item) for item in json.loads(text))


def _read(item: Mapping[str, Any]) -> SampleOutputs:
    returned = item["returned"]
    rtol, atol = item["tolerance"]
    return SampleOutputs(
        case=item["case"],
        entry=item["entry"],
        names=tuple(item["names"]),
        expected=tuple(map(_read_array, item["expected"])),
        zeros=tuple(item["zeros"]),
        tolerance=(rtol, atol),
        raises=item["raises"],
        returned=None if returned is None else tuple(map(_read_array, returned)),
        instead=item["instead"],
    )


def _read_array(item: Mapping[str, Any]) -> Kept:
    shape, values = tuple(item["shape"]), item["values"]
    if values is None or item["dtype"] not in DTYPES or math.prod(shape) != len(values):
        return Kept(item["dtype"], shape, None)
    # a number that is not finite is written as its word, which NumPy reads
    return Kept(item["dtype"], shape, np.array([float(value) for value in values]).astype(item["dtype"]).reshape(shape))
