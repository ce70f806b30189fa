"""What one call returned, in a form in which two of them can be compared quickly, for good and without a reference.

A footprint has a key, equal only for results of one kind (shapes, dtypes, NaN pattern, where it is not exactly zero
although it should be, exception), and numbers, which are equal within the case's tolerance. Of an output with many
numbers a fixed choice of them is kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from grader.grading.compare import leaks
from grader.problems.cases import Array, Case
from grader.problems.composition import Outcome

NUMBERS_MAX: Final = 2048  # of one output
NOT_REACHED: Final = "not reached"
RAISED: Final = "!"  # begins the key of what returned no arrays
Numbers = npt.NDArray[np.float64]
_NONE: Final[Numbers] = np.zeros(0)


@dataclass(frozen=True, eq=False)
class Footprint:
    """The comparable form of one call's outcome."""

    key: str
    numbers: Numbers  # (n,), all finite; what is not is in the key

    def is_like(self, other: Footprint, case: Case) -> bool:
        """Whether two outcomes of a case are the same within its tolerance."""
        if self.key != other.key:
            return False
        with np.errstate(over="ignore"):  # a difference beyond all numbers is beyond the tolerance
            return bool((np.abs(self.numbers - other.numbers) <= bound_of(self.numbers, case)).all())


def are_like(one: Sequence[Footprint], other: Sequence[Footprint], cases: Sequence[Case]) -> bool:
    """Whether two outcomes of each case are the same within its tolerance: `Footprint.is_like` of all at once."""
    if [each.key for each in one] != [each.key for each in other]:
        return False
    numbers, others = (np.concatenate([_NONE, *(each.numbers for each in prints)]) for prints in (one, other))
    sizes = [each.numbers.size for each in one]
    rtol, atol = (np.repeat(parts, sizes) for parts in np.array([case.tolerance for case in cases]).reshape(-1, 2).T)
    with np.errstate(over="ignore"):
        return bool((np.abs(numbers - others) <= atol + rtol * np.abs(numbers)).all())


def bound_of(numbers: Numbers, case: Case) -> Numbers:
    """Return how far each number of another outcome may be off."""
    rtol, atol = case.tolerance
    bound: Numbers = atol + rtol * np.abs(numbers)
    return bound


def footprint(case: Case, outcome: Outcome | None) -> Footprint:
    """Return the footprint of what a case's call came to; None is a case that was not reached."""
    if outcome is None or isinstance(outcome, str):
        return Footprint(f"{RAISED}{outcome}" if outcome else NOT_REACHED, _NONE)
    parts = [_part(array) for array in outcome]
    numbers = np.concatenate([numbers for _, numbers in parts]) if parts else _NONE
    if not np.isfinite(numbers).all():
        parts = [_not_finite(*part) for part in parts]
        numbers = np.concatenate([numbers for _, numbers in parts])
    return Footprint("|".join(text for text, _ in parts) + _leaks(case, outcome), numbers)


def _leaks(case: Case, outcome: tuple[Array, ...]) -> str:
    """Say where outputs are not exactly zero although they should be: numbers do not show it within the tolerance."""
    if len(outcome) != len(case.expected):
        return ""
    texts = []
    for array, expected, future in zip(outcome, case.expected, case.future, strict=True):
        if array.shape == expected.shape and leaks(array, future):
            texts.append(_digest(array[..., future] != 0))
    return " ".join([" leaks", *texts]) if texts else ""


def _part(array: Array) -> tuple[str, Numbers]:
    """Return an output's kind and its numbers; integers and booleans are compared exactly, so their bytes are kind."""
    kind = array.dtype.kind + _shape_text(array.shape)
    if array.dtype.kind != "f":
        return f"{kind}:{_digest(array)}", _NONE
    numbers = array.ravel()
    if array.dtype != np.float64:
        with np.errstate(all="ignore"):
            numbers = numbers.astype(np.float64)
    return kind, numbers if numbers.size <= NUMBERS_MAX else numbers[_chosen(numbers.size)]


def _not_finite(kind: str, numbers: Numbers) -> tuple[str, Numbers]:
    """Return a part with what is not finite told by its kind; the other numbers are compared as ever."""
    finite = np.isfinite(numbers)
    if finite.all():
        return kind, numbers
    pattern = np.where(np.isnan(numbers), 1, np.where(finite, 0, np.sign(numbers) * 2)).astype(np.int8)
    return f"{kind}:{_digest(pattern)}", np.where(finite, numbers, 0.0)


@lru_cache(1000)
def _shape_text(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def _digest(array: npt.NDArray[Any]) -> str:
    return hashlib.sha256(array.tobytes()).hexdigest()[:16]


@lru_cache(200)  # the sizes are a submission's to choose
def _chosen(size: int) -> npt.NDArray[np.int64]:
    """Return which numbers of a large output are kept: the same for every output of that size."""
    return np.sort(np.random.default_rng(size).choice(size, NUMBERS_MAX, replace=False))
