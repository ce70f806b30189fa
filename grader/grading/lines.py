"""The line at which a fault begins: the step that takes right arrays to one that is none of the contract."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from grader.grading.seen import SeenStages
from grader.grading.trace import Event
from grader.problems.cases import Array, arrays_of


@dataclass(frozen=True, eq=False)
class WrongReturn:
    """What was returned for a stage and is wrong, and the line of the statement that returned it; 0: not known."""

    array: Array
    line: int


def lines_of(
    seen: SeenStages, wrong: str, made_from: Collection[str], returned: WrongReturn | None = None
) -> tuple[int, ...]:
    """Return the line at which a wrong stage's fault begins; the line of a call around it comes first.

    Where the stage was right once, what was done to it then; otherwise what was done to that which it is made from.
    A copy, and a right array with its axes in another order, merged or split, is right still.

    Args:
        made_from: the stages and inputs that the stage reads.
        returned: what came back for the stage, where that is wrong. Where it was right until then, and no step is
            seen, it is the returned expression that spoils it.
    """
    readable = [name for name in made_from if name in seen.matches or name in seen.inputs]
    sources = {number for name in readable for number in _right(seen, name)}
    own = _right(seen, wrong)
    stages = {number for name in seen.matches for number in _found(seen, name)}
    inputs = {number for name in seen.inputs for number in seen.views_of(name)}
    known = stages | inputs | sources | own
    # where nothing but right arrays follows from right ones, the last resort is where axes are turned, merged or split
    given = [array for value in seen.inputs.values() for array in arrays_of(value)]
    arrays = seen.trace.arrays
    unturned = stages | {number for number in inputs if any(np.array_equal(arrays[number], each) for each in given)}
    if returned is not None and seen.has(wrong):
        return _where_spoilt(seen, list(_steps(seen, own, known)), known, returned)
    for begun, ends in ((own, known), (sources, known), (sources, unturned)):
        if steps := list(_steps(seen, begun, ends)):
            return _told(steps)
    return ()


def _told(steps: list[Event]) -> tuple[int, ...]:
    """Return the line of the first of some steps, before it the line of the call that it lies in."""
    inner = steps[0].line
    calls = (step.line for step in steps[1:] if step.kind == "call" and step.name and not _is_numpy(step.name))
    return tuple(line for line in dict.fromkeys((next(calls, inner), inner)) if line)


def _where_spoilt(
    seen: SeenStages, steps: list[Event], known: Collection[int], returned: WrongReturn
) -> tuple[int, ...]:
    """Return where an array that was right became what was returned: by a step that leads there, or at its return."""
    wanted = np.sort(returned.array.astype(np.float64), axis=None)
    ends = {
        number
        for number, array in enumerate(seen.trace.arrays)
        if number not in known and np.array_equal(np.sort(array, axis=None), wanted, equal_nan=True)
    }
    on_the_way = _leading_to(seen, ends)
    leading = [at for at, step in enumerate(steps) if step.result in on_the_way]
    if leading:
        return _told(steps[leading[0] :])
    if made := [event.line for event in seen.trace.events if event.result in ends and event.line]:
        return (made[0],)
    return (returned.line,) if returned.line else ()


def _leading_to(seen: SeenStages, ends: Collection[int]) -> set[int]:
    """Return arrays and all that they were made from, by steps that tell what they used."""
    found = set(ends)
    for event in reversed(seen.trace.events):
        if event.result in found:
            found.update(event.operands)
    return found


def _right(seen: SeenStages, name: str) -> set[int]:
    return seen.views_of(name) | (_found(seen, name) if name in seen.matches else set())


def _found(seen: SeenStages, name: str) -> set[int]:
    """Return the arrays of a stage that is there, or is not split yet; a wrong order of its numbers is a fault."""
    match = seen.matches[name]
    return set(match.arrays) if match.form in ("whole", "pre") else set()


def _steps(seen: SeenStages, begun: Collection[int], known: Collection[int]) -> Iterator[Event]:
    """Yield the steps from some arrays to one that is not known; writing into an array is such a step."""
    holds: dict[str, int] = {}  # by name
    made: set[int] = set()
    for event in seen.trace.events:
        is_new = event.result not in known and event.result not in event.operands
        if event.kind in ("bin", "call", "raised"):
            if is_new and not set(begun).isdisjoint(event.operands):
                yield event
            made.add(event.result)
        elif event.kind == "name":
            if is_new and event.result not in made and holds.get(event.name) in begun:
                yield event
            holds[event.name] = event.result


def _is_numpy(name: str) -> bool:
    return hasattr(np, name)
