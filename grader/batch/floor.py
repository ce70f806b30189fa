"""The floor that judging is measured against: a source over the cases in process, with no wall and no comparison.

Only for sources that ship with the grader, and only in a process of its own. Commands are lines on stdin, each answered
by a line: `once` by milliseconds, `for SECONDS` by how many times the cases were run.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from grader.problems.cache import CaseCache
from grader.problems.cases import Case
from grader.problems.loader import load_named
from grader.sandbox import convert
from grader.sandbox.pool import Lane
from grader.sandbox.zygote_start import ENVIRONMENT, FIND_PACKAGE, OPTIONS, ROOT

_PIECE_BYTES: Final = 1000  # beyond the object allocator, so that malloc lays it out
_APART_BYTES: Final = 300_000
_apart: list[bytes] = []  # never freed
_PROGRAM: Final = f"{FIND_PACKAGE}from grader.batch.floor import main; main(*sys.argv[2:])"


class Floor:
    """A process that runs a shipped source in a hot loop; it waits between commands."""

    def __init__(self, root: Path, slug: str, source: str, cache: Path, number: int) -> None:
        """Start it and wait until it has the cases.

        Args:
            root: the folder of the shipped packages.
            source: a path within the package.
            number: from 0; each has another layout in memory.
        """
        self._process = subprocess.Popen(
            [sys.executable, *OPTIONS, "-c", _PROGRAM, ROOT, str(root), slug, source, str(cache), str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=ENVIRONMENT,
            text=True,
        )
        self._read()

    def once(self) -> float:
        """Compile the source and call it over every case, once each; return milliseconds."""
        self.command("once")
        return self._read()

    def command(self, text: str) -> None:
        """Send a command; `answer` waits for what comes of it."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{text}\n")
        self._process.stdin.flush()

    def answer(self) -> float:
        """Return the answer to a command."""
        return self._read()

    def _read(self) -> float:
        assert self._process.stdout is not None
        return float(self._process.stdout.readline() or "nan")

    def __enter__(self) -> Floor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()


def main(root: str, slug: str, source: str, cache: str, number: str) -> None:
    """Answer commands until there are no more."""
    # where the heap ends decides whether its last pages are given back and faulted in again at every call
    _apart.extend(bytes(_PIECE_BYTES) for _ in range(int(number) * _APART_BYTES // _PIECE_BYTES))
    problem = load_named(slug, Path(root))
    lane = Lane()
    try:
        cases = CaseCache(Path(cache)).cases(problem, lane)
    finally:
        lane.close()
    text = problem.files.contents[source]
    run_over(text, cases)
    print(0, flush=True)
    for line in sys.stdin:
        verb, _, seconds = line.strip().partition(" ")
        started, count = time.perf_counter(), 0
        while count == 0 or (verb == "for" and time.perf_counter() - started < float(seconds)):
            run_over(text, cases)
            count += 1
        print(count if verb == "for" else (time.perf_counter() - started) * 1000, flush=True)


def run_over(source: bytes, cases: Sequence[Case]) -> None:
    """Compile, execute and call each case once."""
    namespace: dict[str, Any] = {"__name__": "submission"}
    exec(compile(source, "submission.py", "exec"), namespace)  # noqa: S102 - a source that ships with the grader
    for case in cases:
        arguments = dict(case.arguments)
        for name, layout in case.layouts.items():
            arguments[name] = convert.with_layout(arguments[name], layout)
        with contextlib.suppress(Exception) if case.raises else contextlib.nullcontext():
            namespace[case.entry](*arguments.values())
