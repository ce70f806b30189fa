"""Judges a batch's submissions in processes of their own and yields what became of them, as it comes."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Final

from grader.batch.disk import Halted
from grader.batch.submissions import Submission, Unreadable, read_submission
from grader.batch.worker import Outcome, judge_submissions, start
from grader.grading.judge import Depth
from grader.grading.judge_run import not_judged
from grader.grading.recorded import Recorded
from grader.grading.verdict import Reason

CHUNK: Final = 8  # submissions handed to a process at a time
AHEAD: Final = 2  # chunks waiting for each process; memory does not grow with the batch


class Batch:
    """A run over submissions. `stop` lets what runs finish and starts nothing more."""

    def __init__(
        self,
        root: Path,
        cache: Path,
        jobs: int,
        depth: Depth = "full",
        allow_weak: bool = False,
        evidence: bool = False,
    ) -> None:
        self._root, self._cache, self._jobs, self._depth = root, cache, jobs, depth
        self._allow_weak = allow_weak  # as for a lane
        self._evidence = evidence  # records of what is not accepted
        self._context = multiprocessing.get_context("spawn")
        self._stopped = self._context.RawValue("b", False)  # every process reads it, without a lock

    def stop(self) -> None:
        """Start no further submission; may be called by a signal's handler."""
        self._stopped.value = True

    def outcomes(self, submissions: Sequence[Submission]) -> Iterator[Outcome]:
        """Yield each submission's outcome once, in the order in which they are ready."""
        size = max(1, min(CHUNK, len(submissions) // (self._jobs * AHEAD) or 1))
        chunks = deque(list(submissions[i : i + size]) for i in range(0, len(submissions), size))
        suspects: list[Submission] = []
        while chunks and not self._stopped.value:
            yield from self._work(chunks, suspects)
            # a process died: those that were in flight are judged one at a time, so that only the guilty one is ours
            while suspects and not self._stopped.value:
                yield from self._work_one_by_one(suspects)

    def _executor(self, jobs: int) -> ProcessPoolExecutor:
        cores = sorted(os.sched_getaffinity(0))
        started = self._context.Value("i", 0)
        options = (self._depth, self._evidence, self._allow_weak)
        arguments = (self._root, self._cache, *options, cores, started, self._stopped)
        return ProcessPoolExecutor(jobs, self._context, start, arguments)

    def _work(self, chunks: deque[list[Submission]], suspects: list[Submission]) -> Iterator[Outcome]:
        flying: dict[Future[list[Outcome]], list[Submission]] = {}
        with self._executor(self._jobs) as executor:
            try:
                while (chunks and not self._stopped.value) or flying:
                    while chunks and not self._stopped.value and len(flying) < self._jobs * AHEAD:
                        flying[_submit(executor, chunks[0])] = chunks[0]
                        chunks.popleft()
                    for future in wait(flying, return_when=FIRST_COMPLETED).done:
                        outcomes = future.result()
                        del flying[future]
                        yield from outcomes
            except BrokenProcessPool:
                suspects += [submission for chunk in flying.values() for submission in chunk]
            except BaseException:  # whoever reads our outcomes wants no more of them: what runs is not waited for
                _kill_processes()
                raise

    def _work_one_by_one(self, suspects: list[Submission]) -> Iterator[Outcome]:
        """Judge until there are no more or the process dies; that is the fault of the one in flight, which is JE."""
        with self._executor(1) as executor:
            try:
                while suspects and not self._stopped.value:
                    outcomes = _submit(executor, suspects[-1:]).result()
                    suspects.pop()
                    yield from outcomes
            except BrokenProcessPool:
                yield _judge_error(suspects.pop())
            except BaseException:
                _kill_processes()
                raise


def _submit(executor: ProcessPoolExecutor, chunk: list[Submission]) -> Future[list[Outcome]]:
    """Hand a chunk over; a process that starts for it must not be interrupted before it can ignore Ctrl-C.

    Raises:
        Halted: no process can be started.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return executor.submit(judge_submissions, chunk)
    except OSError as error:
        raise Halted(
            f"A grading process cannot be started ({error.strerror}); lower --jobs or raise the limits on processes "
            "and open files"
        ) from None
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _kill_processes() -> None:
    for process in multiprocessing.active_children():
        process.kill()


def _judge_error(submission: Submission) -> Outcome:
    try:
        source = read_submission(submission)
    except Unreadable as error:
        return Outcome(submission, None, str(error))
    judgement = not_judged(submission.problem, source, Reason.JUDGE_ERROR, "a grading process died twice")
    return Outcome.of(submission, Recorded.of(judgement))
