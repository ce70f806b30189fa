"""Runs beyond judging, for interviewers: does a later token reach earlier rows, and how large may the logits grow?

What comes out is observed, not judged: it touches neither verdict nor points, and no candidate sees it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from grader.errors import InvalidPackage
from grader.grading.compare import is_right
from grader.grading.received import Received
from grader.grading.varied_cases import NOT_CAUSAL, NOT_SCALED, Ladder, Perturbed, Varied, varied_cases
from grader.grading.verdict import Judgement, Verdict
from grader.problems.cache import CaseCache
from grader.problems.cases import Array, Case
from grader.problems.composition import Outcome
from grader.problems.loader import Problem
from grader.sandbox.exchange import Answer, End, Raised, RunEnded, SandboxLost
from grader.sandbox.pool import Lane
from grader.sandbox.run import Run

State = Literal["agrees", "disagrees", "not_finite", "raised", "ended"]
Arrays = tuple[Array, ...]
_MISSING: Final = "missing_entry"
_ENDS: Final = frozenset({*End, _MISSING, "wrong_type", "bad_answer"})
_SHAPES: Final[tuple[State, str]] = ("disagrees", "shapes")
_FAILED: Final = "The extra runs failed, which is not the submission's fault."


@dataclass(frozen=True)
class Moved:
    """One output: how many numbers of rows before the exchanged token there are, and how many moved."""

    output: str
    numbers: int
    moved: int
    largest: float  # move


@dataclass(frozen=True)
class Perturbation:
    """What exchanging the last token of a case did; without `outputs`, `state` says why."""

    case: str
    arguments: tuple[str, ...]
    token: int
    state: State
    detail: str
    outputs: tuple[Moved, ...] = ()

    @property
    def is_still(self) -> bool:
        """Whether nothing moved that must not."""
        return bool(self.outputs) and not any(output.moved for output in self.outputs)


@dataclass(frozen=True)
class Rung:
    """What the submission answers where the logits are multiplied by a factor."""

    factor: float
    state: State
    detail: str = ""


@dataclass(frozen=True)
class Stability:
    """The rungs of one case, in order."""

    case: str
    argument: str
    rungs: tuple[Rung, ...]

    @property
    def first_bad(self) -> Rung | None:
        """The first rung that is not as the reference's."""
        return next((rung for rung in self.rungs if rung.state != "agrees"), None)


@dataclass(frozen=True)
class ExtraRuns:
    """Both observations; `left_out` says in sentences what there is none of, and why."""

    perturbation: Perturbation | None = None
    stability: Stability | None = None
    left_out: tuple[str, ...] = ()


def extra_runs(problem: Problem, source: bytes, judgement: Judgement, lane: Lane, cache: CaseCache) -> ExtraRuns | None:
    """Run a judged submission once more, in a fresh child, over a package's varied cases.

    Returns:
        None where the submission does not run at all, or judging failed.
    """
    if judgement.verdict in (Verdict.CE, Verdict.JE):
        return None
    try:
        varied = varied_cases(problem, cache.cases(problem, lane), lane, cache)
        answers = _answers(problem, source, varied, lane)
    except (InvalidPackage, SandboxLost):
        return ExtraRuns(left_out=(_FAILED,))
    first = answers[:2] if varied.perturbed else []
    return ExtraRuns(
        _perturbation(problem, varied.perturbed, first) if varied.perturbed else None,
        _stability(varied.ladder, answers[len(first) :]) if varied.ladder else None,
        (*([] if varied.perturbed else [NOT_CAUSAL]), *([] if varied.ladder else [NOT_SCALED])),
    )


def _answers(problem: Problem, source: bytes, varied: Varied, lane: Lane) -> list[Outcome]:
    """Return the answer to each varied case, or what came in its place: an exception's name, how the run ended."""
    cases = varied.cases
    found: list[Outcome] = []
    if not cases:
        return found
    with lane.run(problem.limits) as run:
        try:
            missing = run.load(source, list(problem.spec.entries), problem.limits)
            for case in cases:
                if isinstance(missing, Raised):
                    found.append(missing.builtin)
                else:
                    found.append(_MISSING if case.entry in missing else _answer(run, case))
        except RunEnded as ended:
            found += [ended.end.value] * (len(cases) - len(found))
    return found


def _answer(run: Run, case: Case) -> Outcome:
    answer = run.ask(case.question)
    return Received.of(case, answer.first).outcome if isinstance(answer, Answer) else answer.builtin


def _state(case: Case, outcome: Outcome | None) -> tuple[State, str]:
    """Return what an outcome is beside what the reference returns."""
    if outcome is None or isinstance(outcome, str):
        is_end = outcome in _ENDS
        return ("ended" if is_end else "raised"), outcome or ""
    if [array.shape for array in outcome] != [array.shape for array in case.expected]:
        return _SHAPES
    if any(array.dtype.kind == "f" and not np.isfinite(array).all() for array in outcome):
        return "not_finite", ""
    return ("agrees", "") if is_right(case, outcome) else ("disagrees", "values")


def _perturbation(problem: Problem, varied: Perturbed, outcomes: Sequence[Outcome | None]) -> Perturbation:
    """Return what moved in rows before the exchanged token, of all that does not move in the reference's answer."""
    before, after = outcomes
    about = varied.before.name, varied.arguments, varied.last
    states = [_state(case, outcome) for case, outcome in zip((varied.before, varied.after), outcomes, strict=True)]
    if not isinstance(before, tuple) or not isinstance(after, tuple) or _SHAPES in states:
        return Perturbation(*about, *next(state for state in states if _leaves_no_rows(state)))
    state, detail = next((found for found in states if found[0] != "agrees"), states[0])
    names = problem.spec.entries[varied.before.entry].outputs
    pairs = zip(names, varied.axes, strict=True)
    moved = [
        _moved(name, _early(axis, varied.last), position, varied, before, after)
        for position, (name, axis) in enumerate(pairs)
        if axis is not None
    ]
    return Perturbation(*about, state, detail, tuple(moved))


def _leaves_no_rows(state: tuple[State, str]) -> bool:
    """Whether of an outcome in this state no rows can be held against another's."""
    return state == _SHAPES or state[0] in ("raised", "ended")


def _early(axis: int, last: int) -> tuple[Any, ...]:
    """Return the index of all queries before a token, along an axis counted from the end."""
    return (..., slice(0, last), *[slice(None)] * (-axis - 1))


def _moved(name: str, early: tuple[Any, ...], position: int, varied: Perturbed, before: Arrays, after: Arrays) -> Moved:
    bound = varied.before.bounds[position][early]
    with np.errstate(all="ignore"):
        right = np.abs(varied.after.expected[position][early] - varied.before.expected[position][early])
        one, other = before[position][early].astype(np.float64), after[position][early].astype(np.float64)
        is_same = (one == other) | (np.isnan(one) & np.isnan(other))
        moves = np.where(is_same, 0.0, np.nan_to_num(np.abs(one - other), nan=np.inf))
    counts = right <= bound
    off = counts & (moves > bound)
    return Moved(name, int(counts.sum()), int(off.sum()), float(moves[counts].max(initial=0.0)))


def _stability(ladder: Ladder, outcomes: Sequence[Outcome | None]) -> Stability:
    rungs = [
        Rung(factor, *_state(case, outcome)) for (factor, case), outcome in zip(ladder.rungs, outcomes, strict=True)
    ]
    return Stability(ladder.rungs[0][1].name, ladder.argument, tuple(rungs))
