"""Whether something of a submission stands for a stage: then the stage can be wrong, otherwise it was never computed.

What stands for a stage is made from what the stage is made from, and from nothing that comes in later. A source that
takes its weights from a table has no queries that could be wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from grader.grading.origins import Names, Origins
from grader.grading.seen import SeenStages, with_ancestors
from grader.grading.trace import Event
from grader.problems.cases import Array, arrays_of

PRODUCTS_MAX: Final = 50  # that are looked at for what is added to them
_PRODUCTS: Final = frozenset(
    {"Mult", "MatMult", "multiply", "matmul", "dot", "inner", "outer", "vdot", "einsum", "tensordot"}
)
_SUMS: Final = frozenset({"Add", "Sub", "add", "subtract"})
_NONE: Final[Names] = frozenset()
Floats = npt.NDArray[np.float64]
Reads = Mapping[str, tuple[str, ...]]  # of each stage the inputs and stages that it reads


class StandIns:
    """What stands for the stages of one traced case."""

    def __init__(self, seen: SeenStages, reads: Reads, returned: Collection[str]) -> None:
        """Take what each stage reads, and the stages that are returned."""
        self._seen = seen
        self._returned = frozenset(returned)
        self._arrays = frozenset(
            name for name, value in seen.inputs.items() if any(array.dtype.kind != "b" for array in arrays_of(value))
        )
        self._inputs = {name: frozenset(reads.get(name, ())) & self._arrays for name in seen.matches}
        self._parents = {
            name: tuple(one for one in reads.get(name, ()) if one in seen.matches) for name in seen.matches
        }

    @cached_property
    def _origins(self) -> Origins:
        return Origins(self._seen)

    @cached_property
    def _made(self) -> list[tuple[int, Names]]:
        """The arrays that are none of the contract, each with what it was made from."""
        numbers = range(len(self._seen.trace.arrays))
        return [(number, self._origins.of(number)) for number in numbers if not self._origins.is_given(number)]

    def has(self, stage: str) -> bool:
        """Whether a stage can be called wrong: it was returned, or something stands for it."""
        if stage in self._returned or self._seen.is_mask(stage) or not self._origins.is_known:
            return True
        if self._is_counted(stage):
            return any(self._is_table(array, stage) for array in self._seen.trace.arrays) or any(
                self.has(name) for name, parents in self._parents.items() if stage in parents
            )
        own = self._own(stage)
        if own and all(map(self._is_counted, self._parents[stage])):
            return self._is_projected(stage, own) or self._is_met(stage)
        wanted = self._wanted(stage)
        is_whole = bool(self._inputs[stage]) or not self._missing(stage)
        later = _NONE if is_whole else self._later(stage)  # else it may be made together with what comes behind it
        return not wanted or any(names & wanted and not names & later for _, names in self._made)

    def _is_counted(self, stage: str) -> bool:
        """Whether a stage holds integers, which say how to take what is read, and nothing of its numbers."""
        return self._seen.stage(stage).dtype.kind in "iub"

    def _is_table(self, array: Array, stage: str) -> bool:
        wanted = self._seen.stage(stage)
        is_whole = array.size == wanted.size > 1 and bool((array == np.round(array)).all())
        return is_whole and (float(array.max()) > 1 or int(wanted.max()) <= 1)  # else it may be a mask

    def _wanted(self, stage: str) -> Names:
        """Return what shows that something is made for a stage: what it reads.

        A stage that it reads and that is not there is shown by what shows that one.
        """
        missing = self._missing(stage)
        there = {name for name in self._parents[stage] if name not in missing and not self._is_counted(name)}
        return ((self._own(stage) or self._inputs[stage]) | there).union(*map(self._wanted, missing))

    def _missing(self, stage: str) -> list[str]:
        """Return the stages of numbers that a stage reads and that are not there."""
        parents = [name for name in self._parents[stage] if not self._is_counted(name)]
        return [name for name in parents if self._seen.matches[name].form not in ("whole", "pre")]

    def _own(self, stage: str) -> Names:
        """Return the inputs that a stage reads and, but for what comes before it, no other one."""
        before = with_ancestors([stage], self._parents)
        return self._inputs[stage].difference(*(names for other, names in self._inputs.items() if other not in before))

    def _is_projected(self, stage: str, own: Names) -> bool:
        """Whether a stage's own inputs are taken by themselves, before they are multiplied by those of others.

        Parts of an input are as good as the input, but where the stage is nothing else. An array in which one lies
        whole, beside others, is a place to take it from.
        """
        partners = self._partners(stage)
        is_taken = all(self._holds(name, self._seen.stage(stage)) for name in own)
        for number, names in self._made:
            if not names & own:
                continue
            if any(partner <= names for partner in partners):
                if any(self._holds_all(number, name) for name in own):
                    return True
            elif is_taken or not any(names == {name} and self._origins.is_part(number, name) for name in own):
                return True
        return False

    def _holds(self, name: str, array: Array) -> bool:
        """Whether an input holds all numbers of an array."""
        return any(bool(np.isin(array, given).all()) for given in arrays_of(self._seen.inputs[name]))

    def _holds_all(self, number: int, name: str) -> bool:
        """Whether an array holds all numbers of an input."""
        array = self._seen.trace.arrays[number]
        return any(
            array.size > given.size and bool(np.isin(given, array).all())
            for given in arrays_of(self._seen.inputs[name])
        )

    def _partners(self, stage: str) -> list[Names]:
        """Return the inputs that a stage meets: those of what is multiplied by it, and each that comes in behind it."""
        mine = self._inputs_of(stage)
        beside = (self._own(other) or self._inputs_of(other) - mine for other in self._beside(stage))
        return [*filter(None, beside), *(frozenset({name}) for name in self._later(stage))]

    def _later(self, stage: str) -> Names:
        """Return the inputs that come in behind a stage."""
        behind = [name for name in self._parents if name != stage and stage in with_ancestors([name], self._parents)]
        return frozenset[str]().union(*(self._inputs[name] for name in behind)) - self._inputs[stage]

    def _beside(self, stage: str) -> set[str]:
        """Return the stages that are read together with a stage."""
        return {other for parents in self._parents.values() if stage in parents for other in parents} - {stage}

    def _is_met(self, stage: str) -> bool:
        """Whether something else is multiplied by what the stage should be multiplied by, in the stage's place."""
        found = (
            event
            for event in self._seen.trace.events
            if _is_product(event)
            for number, other in _each_with_another(event.operands)
            if self._is_in_place(number, other, stage)
        )
        return any(count > PRODUCTS_MAX or not self._is_one_of_several(event) for count, event in enumerate(found))

    def _is_in_place(self, number: int, other: int, stage: str) -> bool:
        """Whether an array meets another one as a stage meets those that are read with it, or what stands for them."""
        own, beside = self._own(stage), self._beside(stage)
        mine, met = self._origins.of(number) & self._arrays, self._origins.of(other)
        if not mine or own & met or (len(mine) == 1 and mine <= own and self._origins.is_part(number, *mine)):
            return False
        if met.intersection(beside):
            return not any(name in mine for name in self._later(stage))
        shared = mine & (self._inputs[stage] - own)
        if len(mine) > 1 or not shared or not self._origins.is_part(number, *mine):
            return False
        if met & self._arrays == mine:  # it is multiplied by itself
            return self._origins.is_part(other, *mine) and any(mine <= self._inputs[name] for name in beside)
        inputs = frozenset[str]().union(*map(self._inputs_of, beside))
        return mine < met & self._arrays <= inputs

    def _inputs_of(self, stage: str) -> Names:
        """Return the inputs whose numbers get into a stage."""
        before = with_ancestors([stage], self._parents) - {stage}
        return self._inputs[stage].union(*(self._inputs[name] for name in before if not self._is_counted(name)))

    def _is_one_of_several(self, product: Event) -> bool:
        """Whether something else that differs from key to key is added to a product, as for a distance."""
        arrays, made, family = self._seen.trace.arrays, {product.result}, {product.result}
        for event in self._seen.trace.events:
            if made.isdisjoint(event.operands):
                continue
            others = (arrays[number] for number in event.operands if number not in made)
            if event.name in _SUMS and not family.isdisjoint(event.operands) and any(map(_is_varied, others)):
                return True
            made.add(event.result)
            if event.result >= 0 and arrays[event.result].size == arrays[product.result].size > 1:
                family.add(event.result)
        return False


def _each_with_another(operands: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    for position, number in enumerate(operands):
        yield from ((number, other) for at, other in enumerate(operands) if at != position)


def _is_product(event: Event) -> bool:
    """Whether a step multiplies, and not an array by itself, as for its length."""
    is_square = len(set(event.operands)) < len(event.operands) and event.name not in ("einsum", "tensordot")
    return event.kind in ("bin", "call") and event.result >= 0 and event.name in _PRODUCTS and not is_square


def _is_varied(array: Floats) -> bool:
    """Whether an array differs along its last axis, and is no mask."""
    return array.ndim > 0 and array.shape[-1] > 1 and np.unique(array[np.isfinite(array)]).size > 2
