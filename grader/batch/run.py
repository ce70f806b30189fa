"""Judges a batch's submissions in processes of their own and yields what became of them, as it comes."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Final

from grader.batch.processes import CONTEXT, Processes, Work, processes_of
from grader.batch.submissions import Submission, Unreadable, read_submission
from grader.batch.worker import Outcome, Task
from grader.grading.judge import Depth
from grader.grading.judge_run import not_judged
from grader.grading.recorded import Recorded
from grader.grading.verdict import Reason

CHUNK: Final = 8  # submissions handed to a process at a time


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
        """Take what a `Task` takes, and how many processes there are at most."""
        self._jobs = jobs
        self._stopped = CONTEXT.RawValue("b", False)  # every process reads it, without a lock
        self._task = Task(root, cache, depth, evidence, allow_weak, self._stopped)

    def stop(self) -> None:
        """Start no further submission; may be called by a signal's handler."""
        self._stopped.value = True

    def outcomes(self, submissions: Sequence[Submission]) -> Iterator[Outcome]:
        """Yield each submission's outcome once, in the order in which they are ready.

        Raises:
            Halted: no process can be started.
        """
        size = max(1, min(CHUNK, len(submissions) // (2 * self._jobs) or 1))
        chunks = deque(submissions[i : i + size] for i in range(0, len(submissions), size))
        with processes_of(self._jobs, self._task) as processes:
            while chunks and not self._stopped.value:
                died = yield from self._work(processes, chunks)
                # what a dead process had in its hands is judged one at a time, so that only the guilty one is ours
                for suspect in (submission for work in died for submission in work):
                    if (yield from self._work(processes, deque([[suspect]]))):
                        yield _judge_error(suspect)

    def _work(self, processes: Processes, chunks: deque[Work]) -> Generator[Outcome, None, list[Work]]:
        """Judge chunks until there are no more or a process dies; return what such ones had in their hands."""
        died: list[Work] = []
        ready = deque[Outcome]()
        while True:
            # looked at between any two outcomes, so that nobody waits while these are written; memory does not grow
            while chunks and not (died or self._stopped.value) and processes.has_room and len(ready) <= self._most:
                processes.hand_over(chunks.popleft())
            if not (ready or processes.is_busy):
                return died
            for work, outcomes in processes.answers(is_waiting=not ready):
                if outcomes is None:
                    died.append(work)
                else:
                    ready += outcomes
            if ready:
                yield ready.popleft()

    @property
    def _most(self) -> int:
        """Outcomes that may wait for whoever reads them."""
        return self._jobs * CHUNK


def _judge_error(submission: Submission) -> Outcome:
    try:
        source = read_submission(submission)
    except Unreadable as error:
        return Outcome(submission, None, str(error))
    judgement = not_judged(submission.problem, source, Reason.JUDGE_ERROR, "a grading process died twice")
    return Outcome.of(submission, Recorded.of(judgement))
