"""Runs a package's own code in the sandbox; whatever goes wrong there is a finding that says what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from grader.errors import InvalidPackage
from grader.problems.loader import Problem
from grader.sandbox.exchange import End, Limits, Raised, RunEnded
from grader.sandbox.pool import Lane
from grader.sandbox.run import Run

PACKAGE_LIMITS: Final = Limits(case_s=10, total_s=60, memory_mib=2048)  # package code is slower than what it grades
_TEXT_MAX: Final = 300  # characters of what an exception says
_ENDS: Final = {
    End.TIME: "takes longer than {limits.case_s:g} s, or all calls longer than {limits.total_s:g} s; make it faster.",
    End.OUTPUT: "prints more than 1 MiB; print nothing.",
    End.CRASH: "crashes ({}); correct it.",
    End.REFUSED: "makes a system call that the sandbox refuses; compute with NumPy alone.",
    End.BAD_ANSWER: "gives no answer that can be read ({}); return plain arrays, of some MiB at most.",
}
Result = TypeVar("Result")


def in_sandbox(
    problem: Problem, lane: Lane, path: str, source: bytes, entries: list[str], act: Callable[[Run], Result]
) -> Result:
    """Load a package's source in a child of its own and return what `act` makes of the run.

    Args:
        path: of the source, for findings.

    Raises:
        InvalidPackage: the source does not load, has not all entries, or ends its run.
    """
    name = f"{problem.slug}/{path}"
    with lane.run(PACKAGE_LIMITS) as run:
        try:
            missing = run.load(source, entries, PACKAGE_LIMITS, mode="package")
            if isinstance(missing, Raised):
                gap = " " if missing.line else ": "
                raise InvalidPackage([f"{name}{gap}{failure(missing)}"])
            if missing:
                raise InvalidPackage([f"{name}: the entry {entry} is missing; define it." for entry in missing])
            return act(run)
        except RunEnded as error:
            raise InvalidPackage([f"{name}: {ended(error)}"]) from None


def failure(raised: Raised) -> str:
    """Say in which line package code raised what, and what to do."""
    if raised.name == "WireError":  # its own text says it all
        return f"{raised.text[:_TEXT_MAX]}; return numbers, texts, lists and arrays of bool, int64 or floats."
    remedy = "package code may not do that: compute with NumPy alone." if raised.refused else "correct it."
    return f"{claim(raised)}; {remedy}"


def claim(raised: Raised) -> str:
    """Return an exception as package code tells it: line, class and the first line of its text."""
    line = f"line {raised.line}: " if raised.line else ""
    return line + f"{raised.name}: {raised.text}".splitlines()[0][:_TEXT_MAX]


def ended(error: RunEnded) -> str:
    """Say how package code ended its run, and what to do."""
    return _ENDS[error.end].format(error.detail, limits=PACKAGE_LIMITS)
