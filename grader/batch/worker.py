"""One process of a batch: a lane of its own, problems and cases loaded once, one submission after the other."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from grader.batch.submissions import Submission, Unreadable, read_submission
from grader.errors import InvalidPackage
from grader.grading.judge import Depth
from grader.grading.judge_run import not_judged
from grader.grading.recorded import Recorded, judge_and_record
from grader.grading.verdict import Reason
from grader.problems.cache import CaseCache
from grader.problems.files import read_folder
from grader.problems.loader import Problem, load
from grader.report.result import result
from grader.sandbox.pool import Lane, SandboxUnavailable


@dataclass(frozen=True)
class Outcome:
    """What became of a submission: its result object, or none where its file cannot be read.

    `problem` says why it has no result, or for the operator why it is JE or has no evidence record. `evidence` is the
    text of that record where one was asked for and there is something to show.
    """

    submission: Submission
    result: dict[str, Any] | None
    problem: str = ""
    evidence: str | None = None

    @classmethod
    def of(cls, submission: Submission, recorded: Recorded) -> Outcome:
        """Return the outcome of a submission that was judged, or that we failed to judge."""
        value = {"candidate": submission.candidate, **result(recorded.judgement)}
        return cls(submission, value, recorded.trouble, recorded.evidence)

    def copied_to(self, submission: Submission) -> Outcome:
        """Return the same outcome for another submission of the same problem and the same bytes."""
        assert self.result is not None
        return replace(self, submission=submission, result=self.result | {"candidate": submission.candidate})


@dataclass(frozen=True)
class Task:
    """What a process judges by; the same for all of a batch.

    `evidence` asks for records of what is judged and not accepted, `allow_weak` is as for `Lane`. Once `stopped`, a
    flag that all processes share, is set, no further submission is judged.
    """

    root: Path
    cache: Path
    depth: Depth
    evidence: bool
    allow_weak: bool
    stopped: Any


@dataclass
class _Worker:
    task: Task
    lane: Lane
    cache: CaseCache
    problems: dict[str, Problem | InvalidPackage]

    def load(self, slug: str) -> Problem | InvalidPackage:
        """Return a problem, or what breaks its package; read once."""
        if slug not in self.problems:
            try:
                self.problems[slug] = load(read_folder(self.task.root / slug))
            except InvalidPackage as error:
                self.problems[slug] = error
        return self.problems[slug]


def serve(pipe: Connection[list[Outcome], Sequence[Submission] | None], task: Task, core: int) -> None:
    """Answer each list of submissions with their outcomes, until there is None; fewer when the batch is stopped.

    Ctrl-C is the parent's to handle, and without a parent this process ends.

    Args:
        core: where it works. Grader and child take turns, so both stay on one core: a wake-up across cores costs more
            than a short call.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # blocked since before this process began
    os.set_inheritable(pipe.fileno(), False)  # its end must be this process's end, whatever this process starts
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, {core})
    gc.freeze()
    with contextlib.closing(Lane(core, rehearse=False, allow_weak=task.allow_weak)) as lane:
        with contextlib.suppress(SandboxUnavailable):  # then every submission says so
            lane.start()
        worker = _Worker(task, lane, CaseCache(task.cache), {})
        with contextlib.suppress(EOFError, OSError):  # of a pipe whose other end is gone
            while (submissions := pipe.recv()) is not None:
                pipe.send([_judge(worker, each) for each in takewhile(lambda _: not task.stopped.value, submissions)])


def _end_with_parent() -> None:
    """A killed parent cannot say that there is no more to do; the lane's zygote ends with this process."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _judge(worker: _Worker, submission: Submission) -> Outcome:
    try:
        source = read_submission(submission)
    except Unreadable as error:
        return Outcome(submission, None, str(error))
    problem = worker.load(submission.problem)
    if isinstance(problem, InvalidPackage):
        refused = not_judged(submission.problem, source, Reason.INVALID_PACKAGE, problem.message)
        return Outcome.of(submission, Recorded.of(refused))
    task = worker.task
    recorded = judge_and_record(problem, source, worker.lane, worker.cache, task.depth, task.evidence)
    return Outcome.of(submission, recorded)
