"""Runs a package's composed stages over its cases, in the sandbox: the reference's traces, and what faults return."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from grader.problems.cache import CaseCache
from grader.problems.cases import Array, Case
from grader.problems.loader import Problem
from grader.problems.package_code import in_sandbox
from grader.problems.stage_code import CHANGED_ARGUMENTS, MANY
from grader.problems.stages import FILE, TRACE, StageTree, caller_of, described_in, describing_source, read_stages
from grader.sandbox.exchange import End, Limits, Raised, RunEnded
from grader.sandbox.pool import Lane
from grader.sandbox.run import Run
from grader.sandbox.wire import Value, decode, encode

COMPOSED_LIMITS: Final = Limits(case_s=5, total_s=120, memory_mib=2048)
# arrays; or the built-in exception that was raised, how the run ended, or a word of stage_code
NAME_MAX: Final = 100  # characters of an exception's name
# of one composition's outputs: a wrong one may be some times larger than the right one, a hostile one would fill memory
OUTPUT_BYTES: Final = 1 << 20
LARGER: Final = 16
_FUNCTIONS: Final = "the functions"  # beside a case's arguments: no identifier, so none of them has this name
Outcome = tuple[Array, ...] | str
Names = tuple[str, ...]  # of the alternatives that replace their stages


def stages_of(problem: Problem, lane: Lane, cache: CaseCache) -> StageTree:
    """Return the stages that a package's code defines; the first time for a package it is asked in the sandbox.

    Raises:
        InvalidPackage: the code cannot be loaded, or defines something else.
    """
    found = cache.kept(problem, "stages", lambda data: read_stages(problem, decode(data)))
    if found is None:
        source = describing_source(problem)
        described = in_sandbox(problem, lane, FILE, source, [], described_in)
        found = read_stages(problem, described)
        cache.keep(problem, "stages", found, lambda _: encode(described))
    return found


def trace_cases(tree: StageTree, cases: Sequence[Case], lane: Lane) -> list[Outcome]:
    """Return for each case the values of the stages that its entry needs, in audit order."""
    calls = [_Call(case, [f"{TRACE}{_number(tree, case)}"], len(tree.needed(case.entry))) for case in cases]
    return [outcome for (outcome,) in _outcomes(tree.source(), calls, lane)]


def compose_cases(tree: StageTree, cases: Sequence[Case], faults: Sequence[Names], lane: Lane) -> list[list[Outcome]]:
    """Return for each fault and case what the composed stages return with the fault's alternatives in place.

    An entry is composed with those alternatives whose stages it has; where it has none of them, the outcome is that of
    the stages without a fault: what is expected.
    """
    own = {entry: {each.name for each in tree.alternatives_of(entry)} for entry in tree.problem.spec.entries}
    parts = {
        entry: [tuple(name for name in names if name in alternatives) for names in faults]
        for entry, alternatives in own.items()
    }
    calls = []
    for case in cases:
        wanted = dict.fromkeys(caller_of(_number(tree, case), names) for names in parts[case.entry] if names)
        calls.append(_Call(case, list(wanted), len(tree.outputs(case.entry))))
    source = tree.source(list(dict.fromkeys(names for entry in parts.values() for names in entry if names)))
    columns: list[list[Outcome]] = []
    for call, outcomes in zip(calls, _outcomes(source, calls, lane), strict=True):
        case, number = call.case, _number(tree, call.case)
        found = dict(zip(call.functions, outcomes, strict=True))
        unharmed: Outcome = case.raises or case.expected
        columns.append([found.get(caller_of(number, names), unharmed) for names in parts[case.entry]])
    return [list(row) for row in zip(*columns, strict=True)]


@dataclass(frozen=True, eq=False)
class _Call:
    """Functions of the composed source that are to be called with a case's arguments."""

    case: Case
    functions: list[str]
    outputs: int


def _number(tree: StageTree, case: Case) -> int:
    return list(tree.problem.spec.entries).index(case.entry)


def _outcomes(source: bytes, calls: Iterable[_Call], lane: Lane) -> Iterator[list[Outcome]]:
    """Make the calls, all functions of a case at once; where that ends the child or fails, one by one.

    A function that ran out of time is not called again: every other case could take as long.
    """
    left = deque(calls)
    slow: set[str] = set()
    while left:
        with lane.run(COMPOSED_LIMITS) as run:
            try:
                run.load(source, [], COMPOSED_LIMITS, mode="package")
                while left and run.seconds_left() > COMPOSED_LIMITS.case_s:
                    found = _together(run, left[0], slow)
                    if found is None:
                        break
                    yield found
                    left.popleft()
            except RunEnded:
                found = None
        if left and found is None:
            call = left.popleft()
            outcomes = [str(End.TIME) if name in slow else _alone(source, call, name, lane) for name in call.functions]
            slow.update(name for name, outcome in zip(call.functions, outcomes, strict=True) if outcome == End.TIME)
            yield outcomes


def _together(run: Run, call: _Call, slow: Collection[str]) -> list[Outcome] | None:
    """Return the outcomes of a call's functions without the slow ones; None when they cannot be had together."""
    names = [name for name in call.functions if name not in slow]
    answers = run.compute(MANY, {_FUNCTIONS: names, **call.case.arguments}, call.case.layouts)
    if not isinstance(answers, list) or len(answers) != len(names):
        return None
    found = {name: _outcome(answer, call) for name, answer in zip(names, answers, strict=True)}
    return [found.get(name, str(End.TIME)) for name in call.functions]


def _alone(source: bytes, call: _Call, function: str, lane: Lane) -> Outcome:
    """Return the outcome of one function in a child of its own; how the child ended, where it did."""
    with lane.run(COMPOSED_LIMITS) as run:
        try:
            run.load(source, [], COMPOSED_LIMITS, mode="package")
            answer = run.compute(MANY, {_FUNCTIONS: [function], **call.case.arguments}, call.case.layouts)
        except RunEnded as error:
            return str(error.end)
    if isinstance(answer, Raised):  # the call's own failure: what the function raises is an answer
        return CHANGED_ARGUMENTS if answer.text == CHANGED_ARGUMENTS else str(End.BAD_ANSWER)
    return _outcome(answer[0], call) if isinstance(answer, list) and answer else str(End.BAD_ANSWER)


def _outcome(answer: Value, call: _Call) -> Outcome:
    """Return what a function answered: arrays of a size that the case's outputs could have, or an exception's name."""
    if isinstance(answer, str) and len(answer) <= NAME_MAX and answer.isidentifier():
        return answer
    is_whole = isinstance(answer, list) and len(answer) == call.outputs
    if not is_whole or not all(isinstance(item, np.ndarray) for item in answer):
        return str(End.BAD_ANSWER)
    allowed = OUTPUT_BYTES + LARGER * sum(array.nbytes for array in call.case.expected)
    return tuple(answer) if sum(array.nbytes for array in answer) <= allowed else str(End.BAD_ANSWER)
