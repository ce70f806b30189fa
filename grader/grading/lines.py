"""The line at which a fault begins: the step that takes right arrays to one that is none of the contract."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from grader.grading.seen import SeenStages
from grader.grading.trace import Event
from grader.problems.cases import arrays_of


def lines_of(seen: SeenStages, wrong: str, made_from: Collection[str]) -> tuple[int, ...]:
    """Return the line at which a wrong stage's fault begins; the line of a call around it comes first.

    Where the stage was right once, what was done to it then; otherwise what was done to that which it is made from.
    A copy, and a right array with its axes in another order, merged or split, is right still.

    Args:
        made_from: the stages and inputs that the stage reads.
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
    for begun, ends in ((own, known), (sources, known), (sources, unturned)):
        if steps := list(_steps(seen, begun, ends)):
            inner = steps[0].line
            calls = (step.line for step in steps[1:] if step.kind == "call" and step.name and not _is_numpy(step.name))
            return tuple(line for line in dict.fromkeys((next(calls, inner), inner)) if line)
    return ()


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
