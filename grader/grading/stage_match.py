"""Finds the reference's stages among the arrays of a trace, by value: whole, in pieces, not split yet, or scrambled.

Method: random values hardly ever repeat, so an array that holds a stage's numbers is that stage, in whatever order of
axes and however it was cut. What is required of a piece is that its elements lie in the stage as along axes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from grader.grading.array_views import views
from grader.grading.repeated_numbers import Repeats
from grader.grading.trace import Trace

DOUBLE: Final = (1e-7, 1e-10)  # relative, and of the stage's largest number
SINGLE: Final = (2e-5, 1e-6)  # where an input is float32
Floats = npt.NDArray[np.float64]
WORK_MAX: Final = 40_000_000  # numbers that are compared for one trace
ORDERS: Final = 6  # of axes in which an array is compared, about
Form = Literal["whole", "pre", "scrambled", "none"]


@dataclass(frozen=True)
class Match:
    """How a stage was found: in its own form; before its heads were split; the right numbers in a wrong order."""

    form: Form
    arrays: tuple[int, ...] = ()

    @property
    def is_right(self) -> bool:
        """Whether the stage was there as it should be."""
        return self.form == "whole"


NOT_FOUND: Final = Match("none")


class Observed:
    """A trace's arrays, prepared to be searched."""

    def __init__(self, trace: Trace, tolerance: tuple[float, float] = DOUBLE) -> None:
        self.trace = trace
        self.tolerance = tolerance
        self._work = WORK_MAX
        self.arrays = [_cropped(array) for array in trace.arrays]
        self._by_size: dict[int, list[int]] = {}
        for number, array in enumerate(self.arrays):
            self._by_size.setdefault(array.size, []).append(number)

    def spend(self, numbers: int) -> bool:
        """Take from what may still be compared, counted in numbers; false once it is used up: nothing more is found.

        A count, not a time, so that the same trace always gives the same finding.
        """
        self._work -= numbers
        return self._work > 0

    def of_size(self, size: int) -> list[int]:
        """Return the arrays with so many numbers."""
        return self._by_size.get(size, [])

    @cached_property
    def _flat(self) -> tuple[Floats, npt.NDArray[np.int64]]:
        """All numbers in one line, those that are none as 0, and where each array begins."""
        flat = np.concatenate([np.zeros(1), *(array.ravel() for array in self.arrays)])
        starts = 1 + np.cumsum([0, *(array.size for array in self.arrays)])
        return np.where(np.isfinite(flat), flat, 0.0), starts

    @cached_property
    def _sums(self) -> Floats:
        flat, starts = self._flat
        with np.errstate(all="ignore"):
            sums: Floats = np.add.reduceat(np.append(np.abs(flat), 0.0), starts)[:-1]
        return np.where(self.sizes > 0, sums, 0.0)

    @cached_property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How many numbers each array has."""
        return np.array([array.size for array in self.arrays], np.int64)

    @cached_property
    def firsts(self) -> Floats:
        """The first number of each array that is finite and not 0; 0 where there is none."""
        flat, starts = self._flat
        used = np.append(np.flatnonzero(flat), flat.size)
        at = used[np.searchsorted(used, starts[:-1])]
        inside = at < starts[1:]
        return np.where(inside, flat[np.where(inside, at, 0)], 0.0)

    def whole(self, target: Floats, factors: Sequence[float] = (1.0,)) -> list[int]:
        """Return the arrays that are the target times a factor, up to the order of axes and merged neighbours."""
        numbers = self.of_size(target.size)
        finite = np.isfinite(target)
        with np.errstate(all="ignore"):
            total = float(np.abs(target[finite]).sum())
        found = []
        for number in numbers:
            for factor in factors:
                bound = 10 * self.tolerance[0] * total * factor + 1e-300
                is_near = abs(float(self._sums[number]) - total * factor) <= bound
                if is_near and any(True for _ in self._views(number, target * factor)):
                    found.append(number)
                    break
        return found

    def match(
        self,
        target: Floats,
        factors: Sequence[float] = (1.0,),
        heads: tuple[int, int] | None = None,
        tokens: tuple[int, ...] = (),
    ) -> Match:
        """Return how a stage was found.

        Args:
            factors: that it may be multiplied by.
            heads: the axes of heads and of their features: merged into one axis, the stage is not split yet.
            tokens: the axes along which parts keep their order.
        """
        whole = self.whole(target, factors)
        is_split = [number for number in whole if not self._is_merged(number, target, factors, heads)]
        if is_split:
            return Match("whole", tuple(is_split))
        best = Match("pre", tuple(whole)) if whole else NOT_FOUND
        for factor in factors:
            pieces = Pieces(self, target * factor, heads, tokens)
            if pieces.form == "whole":
                return Match("whole", tuple(pieces.used))
            if pieces.form == "scrambled" or (pieces.form == "pre" and best is NOT_FOUND):
                best = Match(pieces.form, tuple(pieces.used))
        return best

    def _is_merged(self, number: int, target: Floats, factors: Sequence[float], heads: tuple[int, int] | None) -> bool:
        if heads is None or target.shape[heads[0]] == 1 or target.shape[heads[1]] == 1:
            return False
        for factor in factors:
            for groups in self._views(number, target * factor):
                if not any(set(heads) <= set(group) for group in groups):
                    return False
        return True

    def _views(self, number: int, target: Floats) -> Iterator[tuple[tuple[int, ...], ...]]:
        if not self.spend(ORDERS * target.size):
            return iter(())
        return views(self.arrays[number], target, self.tolerance)


def _cropped(array: Floats) -> Floats:
    """Return a board without the columns at its right end that hold nothing: hidden, or without weight."""
    if array.ndim < 2 or array.shape[-1] <= array.shape[-2] or not array.size:
        return array
    width = array.shape[-2]
    beyond = array[..., width:]
    is_empty = bool((beyond == 0).all()) or bool(np.isneginf(beyond).all()) or bool((beyond <= -1e6).all())
    return np.ascontiguousarray(array[..., :width]) if is_empty else array


class Pieces:
    """The parts of a stage that are found one by one: rows, heads, items, single numbers.

    Numbers of the target that are NaN are not looked for. Parts with zeros may be left out: they are no rows cut short.
    """

    def __init__(
        self,
        observed: Observed,
        target: Floats,
        heads: tuple[int, int] | None,
        tokens: tuple[int, ...] = (),
        zeros: bool = True,
    ) -> None:
        self._tokens = tokens
        self._zeros = zeros
        self._target = target
        self._observed = observed
        self._tolerance = observed.tolerance
        self._heads = heads
        self.used: list[int] = []
        flat = target.ravel()
        self._order = np.argsort(flat, kind="stable")
        self._sorted = flat[self._order]
        finite = np.abs(flat[np.isfinite(flat)])
        self._scale = float(finite.max(initial=0.0))
        self._repeats = Repeats(target, self._order, (self._tolerance[0], self._tolerance[1] * self._scale))
        covered = np.zeros(target.size, bool)
        pre = np.zeros(target.size, bool)
        self._is_scrambled = False
        for number in self._candidates(observed, covered):
            self._look(observed.arrays[number], number, covered, pre)
        self.used.sort()
        covered |= self._repeats.covered
        needed = np.isfinite(flat) & (flat != 0)
        self.covered = covered.reshape(target.shape)  # what was found of the stage
        if needed.any() and covered[needed].all():
            self.form: Form = "whole"
        elif self._is_scrambled:
            self.form = "scrambled"
        else:
            self.form = "pre" if needed.any() and (covered | pre)[needed].all() else "none"

    def _candidates(self, observed: Observed, covered: npt.NDArray[np.bool_]) -> list[int]:
        """Return the arrays, not larger than the stage, whose first number is one of the stage's.

        Single numbers, which can be thousands, are settled here.
        """
        numbers = np.flatnonzero(observed.sizes <= self._target.size)
        if not numbers.size or not self._sorted.size:
            return []
        places, is_known = self._places(observed.firsts[numbers])
        is_single = is_known & (observed.sizes[numbers] == 1)
        if self._target.size > 1 and observed.spend(int(is_single.sum())):
            self.used += numbers[is_single].tolist()
            covered[places[is_single]] = True
            self._repeats.note(places[is_single])
            is_known &= ~is_single
        left: list[int] = numbers[is_known].tolist()
        return left

    def _places(self, values: Floats) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """Return where in the stage each value stands, and whether it does."""
        right = np.clip(np.searchsorted(self._sorted, values), 0, self._sorted.size - 1)
        left = np.clip(right - 1, 0, None)
        with np.errstate(all="ignore"):
            nearer = np.abs(self._sorted[left] - values) < np.abs(self._sorted[right] - values)
            at = np.where(nearer, left, right)
            bound = self._tolerance[0] * np.abs(values) + self._tolerance[1] * self._scale
            known = np.isfinite(values) & (values != 0) & (np.abs(self._sorted[at] - values) <= bound)
        return self._order[at], known

    def _look(self, array: Floats, number: int, covered: Any, pre: Any) -> None:
        values = array.ravel()
        if not self._observed.spend(array.size * array.ndim):
            return
        counts = np.isfinite(values) & (values != 0)
        places, known = self._places(values)
        if not counts.any() or not known[counts].all() or not (self._zeros or (values != 0).all()):
            return
        is_repeated = counts & self._repeats.are(places)
        if is_repeated.any() and self._observed.spend(self._target.size) and self._repeats.is_slice(array):
            self.used.append(number)
            return
        is_placed = counts & ~is_repeated if (counts & ~is_repeated).any() else counts
        varies = self._varying(np.where(is_placed, places, -1).reshape(array.shape))
        if varies is None or (array.size == self._target.size > 1 and varies != "pre"):
            self._is_scrambled = self._is_scrambled or counts.sum() >= 4
            return
        self.used.append(number)
        (pre if varies == "pre" else covered)[places[is_placed]] = True
        if varies != "pre" and is_placed is not counts:
            self._repeats.note(places[counts])

    def _varying(self, places: npt.NDArray[np.int64]) -> Literal["plain", "pre"] | None:
        """Say whether each of the stage's axes runs along at most one axis of a piece.

        Returns:
            None: some runs along several; pre: heads and their features run along the same one.
        """
        along: dict[int, set[int]] = {}
        coordinates = np.unravel_index(np.maximum(places, 0), self._target.shape)
        for axis in range(places.ndim):
            ahead = (slice(None),) * axis + (slice(1, None),)
            behind = (slice(None),) * axis + (slice(None, -1),)
            both = None if places.min() >= 0 else (places[ahead] >= 0) & (places[behind] >= 0)
            for stage_axis, coordinate in enumerate(coordinates):
                step = coordinate[ahead] - coordinate[behind]
                step = step if both is None else step[both]
                if step.any():
                    along.setdefault(stage_axis, set()).add(axis)
                    if stage_axis in self._tokens and (step < 0).any():
                        return None
        if any(len(axes) > 1 for axes in along.values()):
            return None
        if self._heads is None:
            return "plain"
        head, feature = (along.get(axis, set()) for axis in self._heads)
        return "pre" if head and head == feature else "plain"
