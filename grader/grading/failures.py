"""Why a case failed that gave no answer: what was raised in its place, or how its run ended."""

from __future__ import annotations

from functools import cached_property
from typing import Final

from grader.grading.exceptions import remedy
from grader.grading.verdict import Failure, Reason
from grader.problems.cases import Case
from grader.problems.loader import Problem
from grader.problems.schema import is_kind_of
from grader.sandbox.exchange import Raised, RunEnded

LINES_TOLD: Final = 1000  # a source with more lines is told none of an exception in a secret case


class Stopped(Exception):
    """The run is over with this failure, although the child still lives."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Failures:
    """Names the failures of one submission."""

    def __init__(self, problem: Problem, source: bytes) -> None:
        """Take the problem, and the submission's bytes: its lines are told by number, and looked at for a remedy."""
        self._problem = problem
        self._source = source

    @cached_property
    def _lines(self) -> list[bytes]:
        return self._source.splitlines()

    def loading(self, raised: Raised) -> Failure:
        """Return the failure of a source that raised when it was loaded."""
        line = self._line(raised, visible=True)
        if raised.builtin == "MemoryError":
            return self._memory()
        if raised.phase == "compile":
            got = _one_line(raised.text) or raised.builtin
            return Failure.of(Reason.SYNTAX_ERROR, line=line, got=got)
        return self._exception(raised, visible=True)

    def calling(self, case: Case, raised: Raised) -> Failure | None:
        """Return the failure of a call that raised; None when it raised what it should, and left its arguments alone.

        Raises:
            Stopped: the exception ends the run.
        """
        self.require_going_on(case, raised)
        if case.raises is not None:
            if is_kind_of(raised.builtin, case.raises):  # the class's own name is the submission's to choose
                return None if raised.unchanged else Failure.of(Reason.MUTATED_INPUT, entry=case.entry)
            got = f"raises {_class_name(raised, case.is_sample)}"
            return Failure.of(Reason.EXPECTED_ERROR, raised.text, entry=case.entry, wanted=case.raises, got=got)
        if raised.builtin == "TypeError" and not raised.line and raised.phase == "call":
            parameters = ", ".join(self._problem.spec.entries[case.entry].parameters)
            return Failure.of(Reason.WRONG_ARITY, raised.text, entry=case.entry, wanted=f"{case.entry}({parameters})")
        return self._exception(raised, case.is_sample)

    def require_going_on(self, case: Case, raised: Raised) -> None:
        """Raise `Stopped` where an exception ends the run, of whichever call: no memory, a refused call."""
        if raised.builtin == "MemoryError":
            raise Stopped(self._memory())
        if raised.refused:
            raise Stopped(self._exception(raised, case.is_sample))

    def ending(self, ended: RunEnded) -> Failure:
        """Return the failure that a run ended with."""
        limits = self._problem.limits
        facts = {"line": "", "case_s": f"{limits.case_s:g}", "total_s": f"{limits.total_s:g}"}
        return Failure.of(Reason(ended.end.value), ended.detail, memory_mib=limits.memory_mib, **facts)

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

    def _memory(self) -> Failure:
        return Failure.of(Reason.MEMORY_LIMIT, memory_mib=self._problem.limits.memory_mib)


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
