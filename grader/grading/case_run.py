"""A source over some of a problem's cases in one sandboxed run: each case asked and compared, nothing scored."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from grader.grading.compare import Contract, Malformed, compare
from grader.grading.exceptions import remedy
from grader.grading.received import Received
from grader.grading.verdict import CaseResult, Failure, Reason, Verdict, Visibility
from grader.problems.cache import CaseCache
from grader.problems.cases import Case
from grader.problems.composition import Outcome
from grader.problems.loader import Problem
from grader.problems.schema import is_kind_of
from grader.sandbox.exchange import Answer, End, Limits, Raised, RunEnded, SandboxLost
from grader.sandbox.pool import Lane
from grader.sandbox.run import Run

SOURCE_BYTES_MAX: Final = 1 << 20
LINES_TOLD: Final = 1000  # a source with more lines is told none of an exception in a secret case
Made = TypeVar("Made")


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
    judging = _Judging(problem, cases)
    refusal = _source_failure(source)
    if refusal is not None:
        judging.fail_all(refusal)
    else:
        judging.run_in(lane, source)
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

    def __init__(self, problem: Problem, cases: Sequence[Case]) -> None:
        self._problem = problem
        self._cases = cases
        self._group_of = {name: group.name for group in problem.spec.groups for name in group.cases}
        self._contracts = {name: Contract.of(name, entry) for name, entry in problem.spec.entries.items()}
        self._lines: list[bytes] = []  # of the source
        self.results: list[CaseResult] = []
        self.outcomes: list[Outcome | None] = []
        self.import_prints = ""
        self.run_ms = 0.0

    def fail_all(self, failure: Failure) -> None:
        """Nothing can be run: the first case carries the failure, the others are not reached."""
        self._fail_rest(failure, "")

    def run_in(self, lane: Lane, source: bytes) -> None:
        """Run all cases in a fresh child; once more when the sandbox itself was lost."""
        _twice(lambda: self._run_once(lane, source))

    def _run_once(self, lane: Lane, source: bytes) -> None:
        with lane.run(self._problem.limits) as run:
            started = time.perf_counter()
            self._run(run, source)
            self.run_ms = (time.perf_counter() - started) * 1000

    def _run(self, run: Run, source: bytes) -> None:
        self.results, self.outcomes, self.import_prints = [], [], ""
        self._lines = source.splitlines()
        try:
            missing = self._load(run, source)
            self.import_prints = _take(run.prints)
            self._look_again(run, self._ask_all(run, missing))
        except _Stop as stop:
            self._end(stop.failure, run)
        except RunEnded as ended:
            self._end(_end_failure(ended, self._problem.limits), run)

    def _end(self, failure: Failure, run: Run) -> None:
        """The run is over: the current case (or the last one, at the very end) has the failure."""
        is_asked = len(self.results) == len(self._cases)
        prints = self.results.pop().prints if is_asked else _take(run.prints)
        self._fail_rest(failure, prints)

    def _fail_rest(self, failure: Failure, prints: str) -> None:
        current, *rest = self._cases[len(self.results) :]
        self.results.append(self._result(current, failure, prints))
        self.results += [self._result(case, None, reached=False) for case in rest]

    def _load(self, run: Run, source: bytes) -> list[str]:
        """Load the source and return the entries that it lacks; it must have one at least."""
        entries = list(self._problem.spec.entries)
        missing = run.load(source, entries, self._problem.limits)
        if isinstance(missing, Raised):
            raise _Stop(self._load_failure(missing))
        if len(missing) == len(entries):
            raise _Stop(Failure.of(Reason.MISSING_ENTRY, wanted=" or ".join(missing)))
        return missing

    def _ask_all(self, run: Run, missing: list[str]) -> list[int]:
        """Ask every case; return the positions of those that returned twice."""
        answered: list[int] = []
        for position, case in enumerate(self._cases):
            answer = None if case.entry in missing else run.ask(case.question)
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
            return self._raised(case, answer)
        if answer is None or received is None:
            return Failure.of(Reason.MISSING_ENTRY, wanted=case.entry)
        if case.raises is not None:
            return Failure.of(Reason.EXPECTED_ERROR, entry=case.entry, wanted=case.raises, got="returns")
        try:
            return compare(self._contracts[case.entry], case, answer, received)
        except Malformed as error:
            raise RunEnded(End.BAD_ANSWER, f"malformed answer: {error}") from None

    def _look_again(self, run: Run, answered: list[int]) -> None:
        """Ask whether what was returned is still what it was; later calls must not have written to it."""
        unchanged = run.ask_again(len(answered))
        if isinstance(unchanged, Raised):
            raise _Stop(self._raised(self._cases[-1], unchanged) or Failure.of(Reason.BAD_ANSWER))
        for position, is_unchanged in zip(answered, unchanged, strict=True):
            result, case = self.results[position], self._cases[position]
            if not is_unchanged and result.failure is None:
                failure = Failure.of(Reason.RESULT_CHANGED, entry=case.entry)
                self.results[position] = self._result(case, failure, result.prints)

    def _load_failure(self, raised: Raised) -> Failure:
        line = self._line(raised, visible=True)
        if raised.builtin == "MemoryError":
            return self._memory_failure()
        if raised.phase == "compile":
            got = _one_line(raised.text) or raised.builtin
            return Failure.of(Reason.SYNTAX_ERROR, line=line, got=got)
        return self._exception(raised, visible=True)

    def _raised(self, case: Case, raised: Raised) -> Failure | None:
        """Return the failure of a call that raised; None when it raised what it should.

        Raises:
            _Stop: the exception ends the run (no memory, a refused call).
        """
        if raised.builtin == "MemoryError":
            raise _Stop(self._memory_failure())
        if raised.refused:
            raise _Stop(self._exception(raised, case.is_sample))
        if case.raises is not None:
            if is_kind_of(raised.builtin, case.raises):  # the class's own name is the submission's to choose
                return None
            got = f"raises {_class_name(raised, case.is_sample)}"
            return Failure.of(Reason.EXPECTED_ERROR, raised.text, entry=case.entry, wanted=case.raises, got=got)
        if raised.builtin == "TypeError" and not raised.line:
            parameters = ", ".join(self._problem.spec.entries[case.entry].parameters)
            return Failure.of(Reason.WRONG_ARITY, raised.text, entry=case.entry, wanted=f"{case.entry}({parameters})")
        return self._exception(raised, case.is_sample)

    def _exception(self, raised: Raised, visible: bool) -> Failure:
        line = self._line(raised, visible)
        detail = f"{raised.name}{line}: {raised.text}"
        if raised.refused:
            return Failure.of(Reason.REFUSED_CALL, detail, line=line)
        if raised.builtin in ("ImportError", "ModuleNotFoundError"):
            return Failure.of(Reason.IMPORT_ERROR, detail, got=_import_words(raised, visible), line=line)
        got = _class_name(raised, visible)
        if visible and raised.text:
            got += f" ({_one_line(raised.text)})"
        code = self._lines[raised.line - 1] if line else b""
        told = remedy(raised.builtin, code, is_called=raised.phase != "import")
        return Failure.of(Reason.EXCEPTION, detail, got=got, line=line, remedy=told)

    def _line(self, raised: Raised, visible: bool) -> str:
        """Return where it was raised, in words; a line that the source does not have is not believed.

        Of a secret case a line is a number that a submission can choose: only one that holds code is told, and none of
        a source so long that the number could carry much.
        """
        held = 0 < raised.line <= len(self._lines) and (visible or len(self._lines) <= LINES_TOLD)
        is_code = held and (visible or self._lines[raised.line - 1].strip().partition(b"#")[0])
        return f" in line {raised.line}" if is_code else ""

    def _memory_failure(self) -> Failure:
        return Failure.of(Reason.MEMORY_LIMIT, memory_mib=self._problem.limits.memory_mib)

    def _result(self, case: Case, failure: Failure | None, prints: str = "", reached: bool = True) -> CaseResult:
        verdict = failure.verdict if failure else Verdict.AC if reached else None
        visibility: Visibility = "sample" if case.is_sample else "secret"
        return CaseResult(case.name, self._group_of[case.name], visibility, verdict, failure, prints)


def _received(case: Case, answer: Answer | Raised | None) -> Received | None:
    return Received.of(case, answer.first) if isinstance(answer, Answer) else None


def _outcome(answer: Answer | Raised | None, received: Received | None) -> Outcome | None:
    """Return the arrays that came, or the word for what came in their place; None where nothing was asked."""
    if received is not None:
        return received.outcome
    return answer.builtin if isinstance(answer, Raised) else None


class _Stop(Exception):
    """The run is over with this failure, although the child still lives."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def _end_failure(ended: RunEnded, limits: Limits) -> Failure:
    facts = {"line": "", "case_s": f"{limits.case_s:g}", "total_s": f"{limits.total_s:g}"}
    return Failure.of(Reason(ended.end.value), ended.detail, memory_mib=limits.memory_mib, **facts)


def _class_name(raised: Raised, visible: bool) -> str:
    """Return an exception's class for a candidate; of a secret case only a built-in one: a name can carry values."""
    if raised.name == raised.builtin or raised.name in ("LinAlgError", "AxisError"):
        return raised.name
    return raised.name if visible and raised.name.isidentifier() else "an exception of your own"


def _import_words(raised: Raised, visible: bool) -> str:
    """Return which import failed; of a secret case not even that, for a name can carry values."""
    if not visible or not raised.text:
        return "An import failed"
    return _one_line(raised.text) if raised.text.endswith(" here") else f"An import failed ({_one_line(raised.text)})"


def _one_line(text: str) -> str:
    """Return an exception's first line, bounded and printable."""
    line = text.strip().partition("\n")[0][:200].rstrip()
    return "".join(character if character.isprintable() else "?" for character in line)


def _take(prints: bytearray) -> str:
    """Return what was printed since the last time."""
    if not prints:
        return ""
    text = prints.decode("utf-8", "replace")
    prints.clear()
    return text
