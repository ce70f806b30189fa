"""The arrays of a trace that are right for something of the contract, inputs included."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from grader.grading.seen import SeenStages
from grader.problems.cases import Array, arrays_of


class RightArrays:
    """Which arrays of one trace are which stage or input."""

    def __init__(self, seen: SeenStages) -> None:
        self._seen = seen
        self._arrays = seen.trace.arrays
        self._of: dict[str, set[int]] = {}

    def of(self, name: str) -> set[int]:
        """Return the arrays that are a stage or an input: copied, turned, with axes merged or split."""
        if name not in self._of:
            found = self.found(name) if name in self._seen.matches else set()
            self._of[name] = self._seen.views_of(name) | found
        return self._of[name]

    def of_all(self, names: Iterable[str]) -> set[int]:
        """Return the arrays that are one of these stages and inputs; those that the case lacks are left out."""
        here = [name for name in names if name in self._seen.matches or name in self._seen.inputs]
        return {number for name in here for number in self.of(name)}

    def found(self, name: str) -> set[int]:
        """Return the arrays of a stage that is there, or is not split yet; a wrong order of its numbers is a fault.

        Those that show a mask are arrays of any stage in which it hides something.
        """
        match = self._seen.matches[name]
        is_there = match.form in ("whole", "pre") and not self._seen.is_mask(name)
        return set(match.arrays) if is_there else set()

    @cached_property
    def stages(self) -> set[int]:
        """The arrays of all stages, as they were found."""
        return {number for name in self._seen.matches for number in self.found(name)}

    @cached_property
    def inputs(self) -> set[int]:
        """The arrays of all inputs."""
        return self.of_all(self._seen.inputs)

    @cached_property
    def given(self) -> set[int]:
        """The arrays that are inputs just as they came."""
        given = [array for value in self._seen.inputs.values() for array in arrays_of(value)]
        return {n for n in self.inputs if any(np.array_equal(self._arrays[n], array) for array in given)}

    def names_of(self, number: int) -> list[str]:
        """Return the stages and inputs that an array is, stages first, in their order."""
        return [name for name in (*self._seen.matches, *self._seen.inputs) if number in self.of(name)]

    def equal_to(self, array: Array) -> set[int]:
        """Return the arrays that hold the same numbers, in whatever order."""
        wanted = np.sort(array.astype(np.float64), axis=None)
        return {
            number
            for number, one in enumerate(self._arrays)
            if one.size == wanted.size and np.array_equal(np.sort(one, axis=None), wanted, equal_nan=True)
        }
