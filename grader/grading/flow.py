"""What the arrays of a trace were made from: by the operations that tell it, otherwise by their numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from grader.grading.trace import Trace

_ASKED: Final = 16  # numbers of an array that are looked up
Floats = npt.NDArray[np.float64]


class Flow:
    """The ways from array to array within a trace."""

    def __init__(self, trace: Trace) -> None:
        self._arrays = trace.arrays
        self._made_from: dict[int, set[int]] = {}
        for event in trace.events:
            if event.operands and event.result >= 0:
                self._made_from.setdefault(event.result, set()).update(event.operands)

    def leading_to(self, ends: Iterable[int], stops: Collection[int]) -> set[int]:
        """Return arrays and all that they were made from, back to where it stops."""
        found: set[int] = set()
        left = list(ends)
        while left:
            number = left.pop()
            if number not in found and number not in stops:
                found.add(number)
                left += self.sources(number)
        return found

    def sources(self, number: int) -> set[int]:
        """Return the arrays that one was made from."""
        if number not in self._made_from:
            self._made_from[number] = self._holders(number)
        return self._made_from[number]

    def _holders(self, number: int) -> set[int]:
        """Return the arrays in which some of an array's numbers stood first: parts are taken and put together so."""
        values = _telling(self._arrays[number])
        numbers, holders = self._firsts
        at = np.searchsorted(numbers, values[:: max(1, values.size // _ASKED)])
        return {int(holder) for holder in holders[at] if holder < number}

    @cached_property
    def _firsts(self) -> tuple[Floats, npt.NDArray[np.int64]]:
        """All numbers that tell something, sorted, and of each the first array that holds it."""
        parts = [_telling(array) for array in self._arrays]
        numbers, first = np.unique(np.concatenate([*parts, np.zeros(0)]), return_index=True)
        holders = np.repeat(np.arange(len(parts), dtype=np.int64), [part.size for part in parts])
        found: Floats = numbers
        return found, holders[first]


def _telling(array: Floats) -> Floats:
    """Return the sizes of an array's numbers, but for integers, which are anybody's."""
    values = np.abs(array).ravel()
    telling: Floats = values[np.isfinite(values) & (values != np.round(values))]
    return telling
