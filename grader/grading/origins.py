"""Of each array of a trace the inputs and stages that it was made from, as far as the trace tells.

Operations tell what they used. What is made otherwise is found by its numbers in what was there before: parts of
arrays, loops over them, negation. A name whose array was changed in place keeps what that was made from.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from grader.grading.seen import SeenStages
from grader.grading.trace import Event
from grader.problems.cases import arrays_of

Names = frozenset[str]
Floats = npt.NDArray[np.float64]
_NONE: Final[Names] = frozenset()
_ASKED: Final = 8  # numbers of an array that are looked up


class Origins:
    """The origins of a trace's arrays."""

    def __init__(self, seen: SeenStages) -> None:
        self._seen = seen
        known = {name: seen.views_of(name) for name in seen.inputs}
        known |= {name: set(match.arrays) for name, match in seen.matches.items() if match.form in ("whole", "pre")}
        self._given: dict[int, Names] = {}
        for name, numbers in known.items():
            for number in numbers:
                self._given[number] = self._given.get(number, _NONE) | {name}
        self._found: dict[int, Names] = {}
        self._parts: dict[tuple[int, str], bool] = {}
        self._holds: dict[str, Names] = {}
        self._is_affordable = seen.observed.spend(sum(array.size for array in seen.trace.arrays))
        self._sources: list[tuple[str, int]] = []
        if self._is_affordable:
            self._numbers, self._first, self._starts = self._sorted()
            for event in seen.trace.events:
                self._note(event)

    @property
    def is_known(self) -> bool:
        """Whether the trace is whole, so that what it does not show was not done."""
        return self._is_affordable and not self._seen.trace.is_cut

    def of(self, number: int) -> Names:
        """Return the inputs and stages that an array is, or was made from."""
        if number not in self._found:
            self._found[number] = self._given.get(number) or self._by_numbers(number)
        return self._found[number]

    def is_given(self, number: int) -> bool:
        """Whether an array is an input as it came, or a stage as it should be; turned, merged or split at most."""
        return number in self._given

    def is_part(self, number: int, name: str) -> bool:
        """Whether an array holds numbers of an input, and no other ones."""
        key = (number, name)
        if key not in self._parts:
            values, given = self._seen.trace.arrays[number], arrays_of(self._seen.inputs[name])
            self._parts[key] = any(bool(np.isin(values, array).all()) for array in given)
        return self._parts[key]

    def _note(self, event: Event) -> None:
        result = event.result
        if result >= 0 and (result not in self._found or event.operands):  # equal numbers may come from elsewhere, too
            own = self._given.get(result, _NONE)
            used = frozenset(name for one in event.operands for name in self.of(one))
            if event.kind == "name" and not own:
                used = self._by_numbers(result) or self._holds.get(event.name, _NONE)
            elif not event.operands and not own:
                used = self._by_numbers(result)
            self._found[result] = self._found.get(result, _NONE) | own | used
        if event.kind == "name":
            self._holds[event.name] = self._found.get(result, _NONE)

    def _sorted(self) -> tuple[Floats, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return all numbers there are, sorted, and of each where it first stood: inputs first, then the arrays."""
        parts = []
        for name, value in self._seen.inputs.items():
            for array in arrays_of(value):
                if array.dtype.kind != "b":
                    parts.append(np.abs(array.astype(np.float64)).ravel())
                    self._sources.append((name, -1))
        for number, array in enumerate(self._seen.trace.arrays):
            parts.append(np.abs(array).ravel())
            self._sources.append(("", number))
        starts = np.cumsum([0, *(part.size for part in parts)])
        numbers, first = np.unique(np.concatenate([*parts, np.zeros(0)]), return_index=True)
        return numbers, first, starts

    def _by_numbers(self, number: int) -> Names:
        """Return the origins of what first held some of an array's numbers; integers are anybody's."""
        values = np.abs(self._seen.trace.arrays[number]).ravel()
        values = values[np.isfinite(values) & (values != np.round(values))]
        if not values.size or not self._is_affordable:
            return _NONE
        names: set[str] = set()
        for value in values[:: max(1, values.size // _ASKED)]:
            at = int(self._first[np.searchsorted(self._numbers, value)])
            name, source = self._sources[int(np.searchsorted(self._starts, at, "right")) - 1]
            if name:
                names.add(name)
            elif source < number:
                names |= self.of(source)
        return frozenset(names)
