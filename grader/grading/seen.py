"""What a trace shows of a package's stages: which were there, in which form, and where the first wrong one begins."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

import numpy as np

from grader.grading.stage_match import DOUBLE, NOT_FOUND, Match, Observed
from grader.grading.trace import Trace
from grader.problems.cases import Array, arrays_of
from grader.sandbox.wire import Value

HIDDEN: Final = -1e4  # scores that count do not lie so low on the ordinary cases that are traced
Parents = Mapping[str, tuple[str, ...]]


class SeenStages:
    """The reference's stages on one case, looked for among the arrays of a trace."""

    def __init__(
        self,
        trace: Trace,
        stages: Mapping[str, Array],
        inputs: Mapping[str, Value],
        tolerance: tuple[float, float] = DOUBLE,
    ) -> None:
        self.trace = trace
        self.observed = Observed(trace, tolerance)
        self._stages = stages
        self.inputs = inputs

    @cached_property
    def matches(self) -> Mapping[str, Match]:
        """Of each stage how it was found."""
        return {
            name: self._mask(array) if array.dtype.kind == "b" else self.observed.match(array.astype(np.float64))
            for name, array in self._stages.items()
        }

    def stage(self, name: str) -> Array:
        """Return a stage as it should be."""
        return self._stages[name]

    def is_mask(self, stage: str) -> bool:
        """Whether a stage is one of truth values, which no trace holds."""
        return self._stages[stage].dtype.kind == "b"

    def _mask(self, mask: Array) -> Match:
        """Return whether a mask was applied; a trace holds no truth values, but what they hide.

        It is there when an array is hidden, which is far below everything else or exactly 0, in just the places that
        the mask says, whichever way round; or in those that a stage hides, the mask's among them, for several masks are
        often applied as one.
        """
        if mask.all() or not mask.any():
            return NOT_FOUND
        wanted = [mask, ~mask, *self._hidden_with(mask)]
        found = [
            number
            for number, array in enumerate(self.observed.arrays)
            if array.ndim >= mask.ndim and self.observed.spend(array.size) and _hides(array, wanted)
        ]
        return Match("whole", tuple(found)) if found else NOT_FOUND

    def _hidden_with(self, mask: Array) -> Iterator[Array]:
        """Yield the places that stages hide where all that the mask hides is among them."""
        for stage in self._stages.values():
            hidden = np.isneginf(stage) if stage.dtype.kind == "f" else np.zeros(0, bool)
            whole = _spread(mask, hidden.shape) if hidden.any() else None
            if whole is not None and (not (whole & ~hidden).any() or not (~whole & ~hidden).any()):
                yield hidden

    def has(self, *stages: str) -> bool:
        """Whether all these stages are there as they should be."""
        return all(self.matches[stage].is_right for stage in stages)

    @property
    def is_blank(self) -> bool:
        """Whether nothing of the contract is there: no input is used, and no stage is found."""
        inputs = {number for name in self.inputs for number in self.views_of(name)}
        return not inputs & set(self.trace.operands) and not any(map(self.has, self._stages))

    def views_of(self, name: str) -> set[int]:
        """Return the arrays that an input or a stage is, whole: copied, turned, with axes merged or split."""
        arrays = arrays_of(self.inputs[name] if name in self.inputs else self._stages[name])
        numbers = [array.astype(np.float64) for array in arrays if array.dtype.kind != "b"]
        return {number for array in numbers for number in self.observed.whole(array)}

    def states(
        self, wrong: str, parents: Parents, wrong_outputs: Collection[str] = (), doubted: Collection[str] = ()
    ) -> dict[str, str]:
        """Return each stage's state: what a right stage came from is ok, what follows from the wrong one inherits.

        Args:
            wrong_outputs: the stages that the case's wrong outputs are; one that was right once came from right ones.
            doubted: outputs that are wrong in some case: right numbers in one where they are not wrong show nothing.
        """
        order = list(self._stages)
        sound = self._sound(wrong_outputs, doubted)
        before = [stage for stage in sound if order.index(stage) < order.index(wrong)]
        right = with_ancestors(before, parents) - {wrong, *wrong_outputs, *doubted}
        found = dict.fromkeys(order, "not_seen") | carried_states(order, wrong, parents)
        right |= {stage for stage in sound if found[stage] == "not_seen"} - {*wrong_outputs, *doubted}
        return found | dict.fromkeys(right, "ok")

    def _sound(self, wrong_outputs: Collection[str], doubted: Collection[str]) -> list[str]:
        """Return the stages that are there, but for those that are so by accident."""
        accidental = set(doubted) - set(wrong_outputs)
        return [stage for stage in self._stages if stage not in accidental and self.has(stage)]

    def only_candidate(
        self,
        wrong_outputs: Sequence[str],
        parents: Parents,
        shown: Collection[str],
        doubted: Collection[str] = (),
        is_stood_for: Callable[[str], bool] = lambda stage: True,
    ) -> str | None:
        """Return the one stage that is not there although all that it reads is.

        None where there are several, unless they share one that was right and was changed before it was used. Stages
        that nothing stands for are passed over: they were never computed, and the first one behind them is told.

        Args:
            wrong_outputs: the stages that the case's wrong outputs are.
            shown: the stages that right sources mostly have as arrays. Where another one is not seen and a wrong output
                reads it, either may be at fault.
            doubted: outputs that are wrong in some case, as for `states`.
            is_stood_for: whether something of the submission can be called a stage.
        """
        right = with_ancestors(self._sound(wrong_outputs, doubted), parents) - {*wrong_outputs, *doubted}
        asked = with_ancestors(wrong_outputs, parents)
        read = {stage for output in wrong_outputs for stage in parents.get(output, ())}
        passed = right | (read - set(shown))
        found = [s for s in self._stages if s in asked and s not in right and set(parents.get(s, ())) <= passed]
        if not all(map(is_stood_for, found)):  # a mask is applied to nothing then
            missing = [s for s in self._stages if s in asked and s not in right and not self.is_mask(s)]
            standing = [stage for stage in missing if is_stood_for(stage)]
            found = [stage for stage in standing if stage in found] or standing[:1]
        if len(found) > 1:
            shared = set.intersection(*(set(parents.get(stage, ())) for stage in found))
            found = [stage for stage in self._stages if stage in shared and self.has(stage) and self._is_changed(stage)]
        return found[0] if len(found) == 1 else None

    def _is_changed(self, stage: str) -> bool:
        """Whether some step makes other numbers of a stage alone, as many of them, with constants at most."""
        own = set(self.matches[stage].arrays)
        known = {number for match in self.matches.values() for number in match.arrays}
        return any(
            self.trace.arrays[event.result].size == self.trace.arrays[one].size > 1 and event.result not in known
            for event in self.trace.events
            for one in own.intersection(event.operands)
            if event.result >= 0 and event.operands.count(one) == 1 and self._are_constants({*event.operands} - {one})
        )

    def _are_constants(self, numbers: Collection[int]) -> bool:
        return all(self.trace.arrays[number].size == 1 and number not in self.trace.lines for number in numbers)


def _hides(array: Array, places: Sequence[Array]) -> bool:
    """Whether what an array hides lies in just one of these places."""
    hidden = (array <= HIDDEN) | (array == 0)
    spread = (_spread(place, array.shape) for place in places)
    return any(place is not None and np.array_equal(hidden, place) for place in spread)


def _spread(mask: Array, shape: tuple[int, ...]) -> Array | None:
    """Return a mask in a larger shape, None where it does not fit."""
    try:
        return np.broadcast_to(mask, shape)
    except ValueError:
        return None


def carried_states(order: Sequence[str], wrong: str, parents: Parents) -> dict[str, str]:
    """Return the states that follow from the first wrong stage alone: what is made from it inherits."""
    inherited = {wrong}
    for stage in order:
        if inherited & set(parents.get(stage, ())):
            inherited.add(stage)
    return dict.fromkeys([stage for stage in order if stage in inherited], "inherited") | {wrong: "wrong"}


def with_ancestors(stages: Sequence[str], parents: Parents) -> set[str]:
    """Return stages together with all that they come from."""
    found: set[str] = set()
    left = list(stages)
    while left:
        stage = left.pop()
        if stage not in found:
            found.add(stage)
            left += parents.get(stage, ())
    return found
