"""The sample cases of a problem as text: arguments and expected outputs, ready to be pasted into Python."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import Final

import numpy as np

from grader.errors import JudgeError
from grader.problems.cache import CaseCache
from grader.problems.cases import Case
from grader.problems.loader import Problem
from grader.sandbox.exchange import SandboxLost
from grader.sandbox.pool import Pool, SandboxUnavailable

LINE_WIDTH: Final = 100


@dataclass(frozen=True)
class SampleView:
    """One sample: its name, the call's arguments as assignments, and what comes back."""

    name: str
    call: str
    arguments: str
    expected: str


class Samples:
    """Samples by package; the first time they are asked for, the package's cases are generated in the sandbox."""

    def __init__(self, pool: Pool, cache: CaseCache) -> None:
        self._pool, self._cache = pool, cache
        self._known: dict[str, tuple[SampleView, ...]] = {}

    def of(self, problem: Problem) -> tuple[SampleView, ...]:
        """Return a problem's samples.

        Raises:
            InvalidPackage: its cases cannot be generated.
            JudgeError: the sandbox failed.
        """
        if problem.sha256 not in self._known:
            try:
                with self._pool.lane() as lane:
                    cases = self._cache.cases(problem, lane)
            except (SandboxLost, SandboxUnavailable) as error:
                raise JudgeError(f"the samples of {problem.slug} could not be generated: {error}") from error
            self._known[problem.sha256] = tuple(_view(problem, case) for case in cases if case.is_sample)
        return self._known[problem.sha256]


def _view(problem: Problem, case: Case) -> SampleView:
    outputs = problem.spec.entries[case.entry].outputs
    expected = [assignment(name, value) for name, value in zip(outputs, case.expected, strict=case.raises is None)]
    return SampleView(
        name=case.name,
        call=f"{', '.join(outputs)} = {case.entry}({', '.join(case.arguments)})",
        arguments="\n".join(assignment(name, value) for name, value in case.arguments.items()),
        expected="\n".join(expected) if case.raises is None else f"# raises {case.raises}",
    )


def assignment(name: str, value: object, numbers: int = sys.maxsize) -> str:
    """Return `name = value` with every digit that the value needs; of more numbers than given the corners alone."""
    with np.printoptions(
        threshold=numbers,
        linewidth=LINE_WIDTH,
        formatter={"float_kind": lambda number: repr(float(number))},
        legacy=False,
    ):
        text = repr(value)
    text = re.sub(r"dtype=(\w+)\)$", r"dtype=np.\1)", text)
    # repr aligns the rows of an array for the word before it
    indented = text.replace("\n", "\n" + " " * len(f"{name} = np."))
    return f"{name} = np.{indented}" if isinstance(value, np.ndarray) else f"{name} = {text}"
