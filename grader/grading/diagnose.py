"""Says what is wrong with a submission that was not accepted: the first wrong stage, and the faults it behaves like.

In this order: a contract fault names itself and no stage; a fault of the package that returns the same on every secret
case; a pair of them. What cannot be told stays untold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from grader.errors import InvalidPackage
from grader.grading.attention_decide import decide, states
from grader.grading.attention_trace import STAGES, Layer, Seen
from grader.grading.fault_runs import fault_table
from grader.grading.fault_table import FaultRow, FaultTable
from grader.grading.fingerprint import recognised
from grader.grading.footprint import footprint
from grader.grading.judge_run import Judged
from grader.grading.reference import reference_of, worth_tracing
from grader.grading.trace import TRACES, trace_submission
from grader.grading.verdict import Finding, Judgement, Reason
from grader.problems.cache import CaseCache
from grader.problems.cases import Array, Case
from grader.problems.composition import Outcome
from grader.problems.loader import Problem
from grader.sandbox.pool import Lane
from grader.sandbox.run import SandboxLost

CONTRACT: Final = frozenset(
    {
        Reason.WRONG_CONTAINER,
        Reason.WRONG_COUNT,
        Reason.WRONG_TYPE,
        Reason.MUTATED_INPUT,
        Reason.NOT_REPEATABLE,
        Reason.RESULT_CHANGED,
        Reason.WRONG_ARITY,
        Reason.IMPORT_ERROR,
        Reason.REFUSED_CALL,
        Reason.MISSING_ENTRY,
    }
)
StageStates = tuple[tuple[str, str], ...]


def diagnose(problem: Problem, source: bytes, judged: Judged, lane: Lane, cache: CaseCache, trace: bool) -> Finding:
    """Return the finding of a submission that is not accepted.

    Args:
        trace: its intermediates may be looked at, in another run.
    """
    untold = Finding(judged.judgement.message)
    if all(reason in CONTRACT for reason in _reasons(judged.judgement)):
        return untold
    try:
        cases = cache.cases(problem, lane)
        table = fault_table(problem, cases, lane, cache)
    except (InvalidPackage, SandboxLost):
        return untold
    mine = tuple(map(footprint, cases, judged.outcomes()))
    if rows := recognised(table, mine):
        return _named(problem, table, rows)
    if trace and (found := _traced(problem, source, judged, cases, lane, cache)):
        return found
    return untold


def _traced(
    problem: Problem, source: bytes, judged: Judged, cases: Sequence[Case], lane: Lane, cache: CaseCache
) -> Finding | None:
    """Return the finding from what the submission computes on failing cases; None where that tells nothing."""
    if tuple(problem.spec.stages) != STAGES:
        return None
    try:
        reference = reference_of(problem, cases, lane, cache)
    except (InvalidPackage, SandboxLost):
        return None
    outcomes = dict(zip((case.name for case in cases), judged.outcomes(), strict=True))
    failing = {case.name for case in judged.judgement.cases if case.failure}
    usable = [case for case in cases if case.name in failing and case.name in reference.stages]
    told = []
    for case, trace in trace_submission(problem, source, worth_tracing(usable, TRACES), lane):
        outputs = dict(zip(problem.spec.entries[case.entry].outputs, _arrays(outcomes[case.name]), strict=False))
        seen = Seen(Layer.of(dict(reference.stages[case.name]), case.arguments, outputs), trace)
        stage = decide(seen)
        if stage is not None:
            told.append((STAGES.index(stage), stage, seen))
    if not told:
        return None
    _, stage, seen = min(told, key=lambda item: item[0])
    sentence = (
        f"First wrong stage: {stage.replace('_', ' ')}. What it computes there agrees with no fault that is known."
    )
    return Finding(sentence, stage, (), "trace", tuple(states(seen, stage, reference.parents).items()))


def _arrays(outcome: Outcome | None) -> tuple[Array, ...]:
    return () if outcome is None or isinstance(outcome, str) else outcome


def _reasons(judgement: Judgement) -> list[Reason]:
    return [case.failure.reason for case in judgement.cases if case.failure]


def _named(problem: Problem, table: FaultTable, rows: Sequence[FaultRow]) -> Finding:
    """Return the finding of faults that are recognised; of several the stage is named that they share."""
    faults = tuple(dict.fromkeys(part for row in rows for part in row.fault.split("+")))
    stages = {row.stage for row in rows if row.stage is not None}
    stage = min(stages, key=problem.spec.stages.index)
    sentence = rows[0].sentence if len({row.parts for row in rows}) == 1 else _either(rows)
    return Finding(
        sentence=f"First wrong stage: {stage.replace('_', ' ')}. {sentence}",
        first_wrong_stage=stage,
        faults=faults,
        method="fingerprint",
        stages=stage_states(problem, table, stage),
    )


def _either(rows: Sequence[FaultRow]) -> str:
    ids = list(dict.fromkeys(row.fault for row in rows))
    return f"It behaves like {' and like '.join(ids)}, which no case tells apart."


def stage_states(problem: Problem, table: FaultTable, wrong: str) -> StageStates:
    """Return each stage's state where only the first wrong one is known: what follows from it inherits."""
    inherited = {wrong}
    for stage in problem.spec.stages:
        if inherited & set(table.parents.get(stage, ())):
            inherited.add(stage)
    states = dict.fromkeys(problem.spec.stages, "not_seen") | dict.fromkeys(inherited, "inherited") | {wrong: "wrong"}
    return tuple(states.items())
