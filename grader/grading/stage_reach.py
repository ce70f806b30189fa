"""How far a stage reaches in what a submission computes: which steps belong to one behind it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property

from grader.grading.right_arrays import RightArrays
from grader.grading.seen import HIDDEN, SeenStages, with_ancestors
from grader.grading.trace import Event
from grader.problems.cases import Array


class Reach:
    """What belongs to one stage, and what to those behind it."""

    def __init__(
        self,
        seen: SeenStages,
        right: RightArrays,
        stage: str,
        reads: Mapping[str, Collection[str]],
        returned: Collection[str],
    ) -> None:
        """Take a stage.

        Args:
            reads: of each stage the stages and inputs that it reads.
            returned: the stages that are returned.
        """
        self._seen = seen
        self._right = right
        self._stage = stage
        self._reads = reads
        self._returned = returned
        stages = seen.matches
        self._hidden: dict[int, bool] = {}  # by array
        self._parents = {name: tuple(read for read in reads[name] if read in stages) for name in stages}

    @cached_property
    def has_end(self) -> bool:
        """Whether it shows where the stage ends: it is returned, or what reads it takes or hides something.

        Where scores are hidden, one step does it.
        """
        if self._hides:
            return False
        if self._stage in self._returned:
            return True
        readers = [name for name in self._seen.matches if self._stage in self._reads[name]]
        return any(_is_hidden(self._seen.stage(name)) or self._brings(name) for name in readers)

    def is_behind(self, event: Event) -> bool:
        """Whether a step belongs to a stage behind: something comes in there, or scores are hidden."""
        if not self.come_in.isdisjoint(event.operands):
            return True
        if event.result < 0 or self._is_made_of_hidden:
            return False
        if event.result not in self._hidden:
            self._hidden[event.result] = _is_hidden(self._seen.trace.arrays[event.result])
        return self._hidden[event.result] is not self._hides

    @cached_property
    def come_in(self) -> set[int]:
        """The arrays of what comes in behind the stage: inputs, and stages that it has no part in."""
        names = {read for name in self._behind - {self._stage} for read in self._brings(name)}
        return self._right.of_all(names) - self._right.of_all(self._reads[self._stage]) - self._right.of(self._stage)

    @cached_property
    def _hides(self) -> bool:
        """Whether the stage is where scores are hidden."""
        return _is_hidden(self._seen.stage(self._stage)) and not self._is_made_of_hidden

    @cached_property
    def _is_made_of_hidden(self) -> bool:
        return any(_is_hidden(self._seen.stage(parent)) for parent in self._parents[self._stage])

    @cached_property
    def _behind(self) -> set[str]:
        """The stage, and those that come from it."""
        return {name for name in self._parents if self._stage in with_ancestors([name], self._parents)}

    def _brings(self, name: str) -> set[str]:
        """Return what a stage behind reads that this one does not come from, and that does not come from it."""
        before = with_ancestors([self._stage], self._parents)
        return set(self._reads[name]) - before.union(self._behind, *(self._reads[one] for one in before))


def _is_hidden(array: Array) -> bool:
    """Whether scores are hidden in an array."""
    return array.dtype.kind == "f" and bool((array <= HIDDEN).any())
