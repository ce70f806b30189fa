"""A source over some of a problem's cases in one sandboxed run: each case asked and compared, nothing scored."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeVar

from grader.grading.compare import Contract, Malformed, compare
from grader.grading.failures import Failures, Stopped
from grader.grading.received import Received
from grader.grading.verdict import CaseResult, Failure, Reason, Verdict, Visibility
from grader.problems.cache import CaseCache
from grader.problems.cases import Case
from grader.problems.composition import Outcome
from grader.problems.loader import Problem
from grader.sandbox.exchange import Answer, End, Raised, RunEnded, SandboxLost
from grader.sandbox.pool import Lane
from grader.sandbox.run import Run

SOURCE_BYTES_MAX: Final = 1 << 20
Made = TypeVar("Made")
_made_once: Final = lru_cache(1 << 14)(CaseResult)  # a case that is accepted comes to the same in every run


@dataclass(frozen=True, eq=False)
class CaseRun:
    """What some cases came to in one run, in their order, before anything is scored.

    `outcomes` are the arrays that came, or the word for what came in their place; None where nothing was asked.
    """

    results: tuple[CaseResult, ...]
    outcomes: tuple[Outcome | None, ...]
    import_prints: str
    run_ms: float


def cases_of(problem: Problem, lane: Lane, cache: CaseCache) -> tuple[Case, ...]:
    """Return a problem's cases; when the sandbox is lost while they are made, it is tried once more.

    Raises:
        InvalidPackage: they cannot be generated.
        SandboxLost: the sandbox failed twice.
    """
    return _twice(lambda: cache.cases(problem, lane))


def run_cases(problem: Problem, source: bytes, lane: Lane, cases: Sequence[Case]) -> CaseRun:
    """Run a submission's bytes over some of a problem's cases, one at least, in a child of its own.

    Raises:
        SandboxLost: the sandbox failed twice.
    """
    judging = _Judging(problem, source, cases)
    refusal = _source_failure(source)
    if refusal is not None:
        judging.fail_all(refusal)
    else:
        judging.run_in(lane)
    not_reached = (None,) * (len(cases) - len(judging.outcomes))
    return CaseRun(tuple(judging.results), (*judging.outcomes, *not_reached), judging.import_prints, judging.run_ms)


def _twice(act: Callable[[], Made]) -> Made:
    """Do something in the sandbox; once more when that was lost, which is our fault."""
    try:
        return act()
    except SandboxLost:
        return act()


def is_empty(source: bytes) -> bool:
    """Whether a source holds nothing but white space."""
    return not source.removeprefix(b"\xef\xbb\xbf").strip()


def _source_failure(source: bytes) -> Failure | None:
    """Return why a source cannot be run at all; None when it is a text that may be Python."""
    if len(source) > SOURCE_BYTES_MAX:
        return Failure.of(Reason.TOO_LARGE)
    if is_empty(source):
        return Failure.of(Reason.EMPTY_SOURCE)
    if b"\0" in source:
        return Failure.of(Reason.NOT_PYTHON, got="it holds NUL bytes")
    try:
        source.decode()
    except UnicodeDecodeError as error:
        return Failure.of(Reason.NOT_PYTHON, got=f"byte {error.start} is not UTF-8")
    return None


class _Judging:
    """The state of judging one submission: one result for each case, in package order."""

    def __init__(self, problem: Problem, source: bytes, cases: Sequence[Case]) -> None:
        self._problem = problem
        self._source = source
        self._failures = Failures(problem, source)
        self._cases = cases
        self.results: list[CaseResult] = []
        self.outcomes: list[Outcome | None] = []
        self.import_prints = ""
        self.run_ms = 0.0

    def fail_all(self, failure: Failure) -> None:
        """Nothing can be run: the first case carries the failure, the others are not reached."""
        self._fail_rest(failure, "")

    def run_in(self, lane: Lane) -> None:
        """Run all cases in a fresh child; once more when the sandbox itself was lost."""
        _twice(lambda: self._run_once(lane))

    def _run_once(self, lane: Lane) -> None:
        with lane.run(self._problem.limits) as run:
            started = time.perf_counter()
            self._run(run)
            self.run_ms = (time.perf_counter() - started) * 1000

    def _run(self, run: Run) -> None:
        self.results, self.outcomes, self.import_prints = [], [], ""
        try:
            missing = self._load(run)
            self.import_prints = _take(run.prints)
            self._look_again(run, self._ask_all(run, missing))
        except Stopped as stop:
            self._end(stop.failure, run)
        except RunEnded as ended:
            self._end(self._failures.ending(ended), run)

    def _end(self, failure: Failure, run: Run) -> None:
        """The run is over: the current case has the failure; at the very end the last one, unless it has its own."""
        if len(self.results) < len(self._cases):
            self._fail_rest(failure, _take(run.prints))
        elif self.results[-1].failure is None:
            self._fail_rest(failure, self.results.pop().prints)

    def _fail_rest(self, failure: Failure, prints: str) -> None:
        current, *rest = self._cases[len(self.results) :]
        self.results.append(self._result(current, failure, prints))
        self.results += [self._result(case, None, reached=False) for case in rest]

    def _load(self, run: Run) -> list[str]:
        """Load the source and return the entries that it lacks; it must have one at least."""
        entries = list(self._problem.spec.entries)
        missing = run.load(self._source, entries, self._problem.limits)
        if isinstance(missing, Raised):
            raise Stopped(self._failures.loading(missing))
        if len(missing) == len(entries):
            raise Stopped(Failure.of(Reason.MISSING_ENTRY, wanted=" or ".join(missing)))
        return missing

    def _ask_all(self, run: Run, missing: list[str]) -> list[int]:
        """Ask every case; return the positions of those that returned twice."""
        answered: list[int] = []
        for position, case in enumerate(self._cases):
            answer = None if case.entry in missing else run.ask(case.question)
            if case.question.is_answered(answer):
                self.outcomes.append(case.expected)
                answered.append(position)
                self.results.append(self._result(case, None, _take(run.prints)))
                continue
            received = _received(case, answer)
            self.outcomes.append(_outcome(answer, received))
            failure = self._failure(case, answer, received)
            if failure is None and isinstance(answer, Raised):  # rightly: a call that raised was not made a second time
                answer = run.ask(case.question)
                failure = self._failure(case, answer, _received(case, answer))
            if isinstance(answer, Answer) and not isinstance(answer.again, Raised):
                answered.append(position)
            self.results.append(self._result(case, failure, _take(run.prints)))
        return answered

    def _failure(self, case: Case, answer: Answer | Raised | None, received: Received | None) -> Failure | None:
        """Return why a call failed, None where it did not."""
        if isinstance(answer, Raised):
            return self._failures.calling(case, answer)
        if answer is None or received is None:
            return Failure.of(Reason.MISSING_ENTRY, wanted=case.entry)
        if isinstance(answer.again, Raised):
            self._failures.require_going_on(case, answer.again)
        if case.raises is not None:
            return Failure.of(Reason.EXPECTED_ERROR, entry=case.entry, wanted=case.raises, got="returns")
        try:
            contract = Contract.of(case.entry, self._problem.spec.entries[case.entry])
            return compare(contract, case, answer, received)
        except Malformed as error:
            raise RunEnded(End.BAD_ANSWER, f"malformed answer: {error}") from None

    def _look_again(self, run: Run, answered: list[int]) -> None:
        """Ask whether what was returned is still what it was; later calls must not have written to it."""
        unchanged = run.ask_again(len(answered))
        if isinstance(unchanged, Raised):
            raise Stopped(self._failures.calling(self._cases[-1], unchanged) or Failure.of(Reason.BAD_ANSWER))
        for position, is_unchanged in zip(answered, unchanged, strict=True):
            result, case = self.results[position], self._cases[position]
            if not is_unchanged and result.failure is None:
                failure = Failure.of(Reason.RESULT_CHANGED, entry=case.entry)
                self.results[position] = self._result(case, failure, result.prints)

    def _result(self, case: Case, failure: Failure | None, prints: str = "", reached: bool = True) -> CaseResult:
        verdict = failure.verdict if failure else Verdict.AC if reached else None
        visibility: Visibility = "sample" if case.is_sample else "secret"
        made = CaseResult if failure or prints else _made_once
        return made(case.name, self._problem.group_of[case.name], visibility, verdict, failure, prints)


def _received(case: Case, answer: Answer | Raised | None) -> Received | None:
    return Received.of(case, answer.first) if isinstance(answer, Answer) else None


def _outcome(answer: Answer | Raised | None, received: Received | None) -> Outcome | None:
    """Return the arrays that came, or the word for what came in their place; None where nothing was asked."""
    if received is not None:
        return received.outcome
    return answer.builtin if isinstance(answer, Raised) else None


def _take(prints: bytearray) -> str:
    """Return what was printed since the last time."""
    if not prints:
        return ""
    text = prints.decode("utf-8", "replace")
    prints.clear()
    return text
