"""A trace: what a submission computed during one call, as its child claims it, parsed and bounded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from grader.grading.failures import LINES_TOLD
from grader.problems.cases import Array, Case
from grader.problems.loader import Problem
from grader.sandbox.exchange import Limits, Raised, RunEnded, SandboxLost
from grader.sandbox.pool import Lane
from grader.sandbox.run import Run
from grader.sandbox.tracing import ARRAYS_MAX, BYTES_MAX, EVENTS_MAX, OPERANDS_MAX, OPERATIONS
from grader.sandbox.wire import Value

TRACES: Final = 3  # failing cases that are traced at most
TRACE_LIMITS: Final = Limits(case_s=1.0, total_s=2.0, memory_mib=512)
AXES_MAX: Final = 8
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class Event(NamedTuple):  # a trace may hold thousands
    """One step of the submission: what made an array, at which of its lines, from which arrays."""

    kind: str
    line: int  # 0: it is not told
    name: str
    result: int  # position in the trace's arrays, -1: none
    operands: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Trace:
    """What one call computed, in order."""

    events: tuple[Event, ...]
    arrays: tuple[Floats, ...]
    returned: tuple[Array, ...] | None  # None: an exception, or no plain arrays
    has_raised: bool
    is_cut: bool

    @cached_property
    def lines(self) -> dict[int, int]:
        """For each array the line that it first came from, as far as an event made it."""
        found: dict[int, int] = {}
        for event in self.events:
            found.setdefault(event.result, event.line)
        return found

    @cached_property
    def operands(self) -> frozenset[int]:
        """The arrays that some step used."""
        return frozenset(number for event in self.events for number in event.operands)


class MalformedTrace(Exception):
    """The record is not of its form: the trace is not believed."""


def trace_submission(problem: Problem, source: bytes, cases: list[Case], lane: Lane) -> list[tuple[Case, Trace]]:
    """Run cases again in a fresh child whose source tells what it computes; whatever fails is left out."""
    found: list[tuple[Case, Trace]] = []
    with suppress(SandboxLost):
        found += _traces(problem, source, cases, lane)
    return found


def trace_closely(problem: Problem, source: bytes, cases: list[Case], lane: Lane) -> list[tuple[Case, Trace]]:
    """As `trace_submission`, for what is kept: there a failure of ours may leave nothing out.

    Raises:
        SandboxLost: the sandbox failed.
    """
    return list(_traces(problem, source, cases, lane))


def _traces(problem: Problem, source: bytes, cases: list[Case], lane: Lane) -> Iterator[tuple[Case, Trace]]:
    with lane.run(TRACE_LIMITS) as run, suppress(RunEnded):
        missing = run.load(source, list(problem.spec.entries), TRACE_LIMITS, mode="traced")
        if not isinstance(missing, Raised):
            yield from _each(run, [case for case in cases if case.entry not in missing], lines_told(source))


def lines_told(source: bytes) -> frozenset[int]:
    """Return the lines of a source that a record may name: a child could say any number, and so a hidden value.

    They are those that hold code, and none of a source so long that the number could carry much.
    """
    lines = source.splitlines()
    if len(lines) > LINES_TOLD:
        return frozenset()
    return frozenset(number for number, line in enumerate(lines, 1) if line.strip().partition(b"#")[0])


def _each(run: Run, cases: list[Case], lines: frozenset[int]) -> Iterator[tuple[Case, Trace]]:
    for case in cases:
        record = run.trace(case.entry, case.arguments, case.layouts, max(1, len(case.expected)))
        if isinstance(record, Raised):
            return
        try:
            yield case, parsed(record, lines)
        except MalformedTrace:
            return


def parsed(value: Value, lines: frozenset[int]) -> Trace:
    """Return the trace that a child's record holds.

    Args:
        lines: of the source, that are told; any other number is taken for 0.

    Raises:
        MalformedTrace: the record is not of its form, or holds more than a recorder keeps.
    """
    if not isinstance(value, list) or len(value) != 2 or not isinstance(value[0], list) or len(value[0]) != 5:
        raise MalformedTrace
    (events, names, numbers, shapes, is_cut), answer = value
    vectors = (events, np.int64), (numbers, np.float64), (shapes, np.int64)
    if not all(_is_vector(vector, dtype) for vector, dtype in vectors) or type(is_cut) is not bool:
        raise MalformedTrace
    if not isinstance(names, list) or not all(type(name) is str for name in names) or numbers.nbytes > BYTES_MAX:
        raise MalformedTrace
    arrays = tuple(_arrays(numbers, shapes))
    has_raised = isinstance(answer, list) and len(answer) == 7
    steps = tuple(_events(events, names, len(arrays), lines))
    return Trace(steps, arrays, _returned(answer), has_raised, is_cut)


def _returned(answer: Value) -> tuple[Array, ...] | None:
    """Return the arrays of an answer: [is it a sequence, count, items]."""
    if not isinstance(answer, list) or len(answer) != 3 or not isinstance(answer[2], list):
        return None
    arrays = tuple(item for item in answer[2] if isinstance(item, np.ndarray))
    return arrays if len(arrays) == answer[1] else None


def _is_vector(value: Any, dtype: type) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype == dtype


def _arrays(numbers: Floats, flat: Integers) -> Iterator[Floats]:
    if flat.size > ARRAYS_MAX * (1 + AXES_MAX):
        raise MalformedTrace
    shapes = flat.tolist()
    at = start = count = 0
    while at < len(shapes):
        count += 1
        axes = shapes[at]
        shape = tuple(shapes[at + 1 : at + 1 + axes])
        if (
            count > ARRAYS_MAX
            or not 0 <= axes <= AXES_MAX
            or len(shape) != axes
            or any(not 0 <= extent <= numbers.size for extent in shape)
        ):
            raise MalformedTrace
        size = 1
        for extent in shape:
            size *= extent
        if start + size > numbers.size:
            raise MalformedTrace
        yield numbers[start : start + size].reshape(shape)
        start += size
        at += 1 + axes
    if start != numbers.size:
        raise MalformedTrace


def _events(events: Integers, names: list[str], count: int, lines: frozenset[int]) -> Iterator[Event]:
    if events.size > EVENTS_MAX * (5 + OPERANDS_MAX):
        raise MalformedTrace
    flat = events.tolist()
    at = 0
    for _ in range(EVENTS_MAX + 1):
        if at == len(flat):
            return
        if at + 5 > len(flat):
            break
        kind, line, name, result, operands = flat[at : at + 5]
        used = tuple(flat[at + 5 : at + 5 + operands]) if 0 <= operands <= OPERANDS_MAX else ()
        is_known = 0 <= kind < len(OPERATIONS) and 0 <= name < len(names) and -1 <= result < count
        if not is_known or len(used) != operands or any(not 0 <= number < count for number in used):
            break
        yield Event(OPERATIONS[kind], line if line in lines else 0, names[name], result, used)
        at += 5 + operands
    raise MalformedTrace
