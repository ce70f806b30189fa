"""One process of a batch: a lane of its own, problems and cases loaded once, one submission after the other."""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.batch.submissions import Submission, Unreadable, read_submission
from grader.errors import InvalidPackage
from grader.grading.judge import judge, not_judged
from grader.grading.verdict import Reason
from grader.problems.cache import CaseCache
from grader.problems.files import read_folder
from grader.problems.loader import Problem, load
from grader.report.result import result
from grader.sandbox.pool import Lane


@dataclass(frozen=True)
class Outcome:
    """What became of a submission: its result object, or why its file cannot be read."""

    submission: Submission
    result: dict[str, Any] | None
    problem: str = ""


@dataclass
class _Worker:
    root: Path
    lane: Lane
    cache: CaseCache
    problems: dict[str, Problem | InvalidPackage]

    def load(self, slug: str) -> Problem | InvalidPackage:
        """Return a problem, or what breaks its package; read once."""
        if slug not in self.problems:
            try:
                self.problems[slug] = load(read_folder(self.root / slug))
            except InvalidPackage as error:
                self.problems[slug] = error
        return self.problems[slug]


_worker: _Worker | None = None


def start(root: Path, cache: Path, cores: list[int], started: Any) -> None:
    """Prepare this process; Ctrl-C is the parent's to handle.

    Grader and child take turns, so both stay on one core: a wake-up across cores costs more than a short call.

    Args:
        started: a shared counter of the processes that have started.
    """
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with started.get_lock():
        core = cores[started.value % len(cores)]
        started.value += 1
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, {core})
    gc.freeze()
    lane = Lane(core, rehearse=False)
    lane.start()
    atexit.register(lane.close)
    _worker = _Worker(root, lane, CaseCache(cache), {})


def judge_submissions(submissions: list[Submission]) -> list[Outcome]:
    """Judge a few submissions, in order."""
    return [_judge(submission) for submission in submissions]


def _judge(submission: Submission) -> Outcome:
    assert _worker is not None
    try:
        source = read_submission(submission.path)
    except Unreadable as error:
        return Outcome(submission, None, str(error))
    problem = _worker.load(submission.problem)
    if isinstance(problem, InvalidPackage):
        judgement = not_judged(submission.problem, source, Reason.INVALID_PACKAGE, problem.message)
    else:
        judgement = judge(problem, source, _worker.lane, _worker.cache)
    return Outcome(submission, {"candidate": submission.candidate, **result(judgement)})
