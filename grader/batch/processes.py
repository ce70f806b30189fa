"""The processes of this machine that judge a batch, each at the other end of a pipe of its own.

Nobody else holds either end, so a process that dies closes its pipe whatever it was doing, and whoever reads half an
answer is told. (A queue of `concurrent.futures` is held open by its reader: half an answer is waited for for ever.)
A process is handed nothing while it works, so neither side can wait for the other to read.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Final

from grader.batch.disk import Halted
from grader.batch.submissions import Submission
from grader.batch.worker import Outcome, Task, serve

CONTEXT: Final = multiprocessing.get_context("spawn")
Work = Sequence[Submission]


class _Process:
    """One of them, and what it works at."""

    def __init__(self, task: Task, core: int) -> None:
        self.pipe: Connection[Work | None, list[Outcome]]
        self.pipe, theirs = CONTEXT.Pipe()
        self.work: Work = ()
        with theirs:
            self.process = CONTEXT.Process(target=serve, args=(theirs, task, core), daemon=True)
            self.process.start()

    def send(self, work: Work | None) -> None:
        with suppress(OSError):  # it has just died: its pipe says so when it is read
            self.pipe.send(work)

    def receive(self) -> list[Outcome] | None:
        """Return its answer; None when it has died."""
        try:
            return self.pipe.recv()
        except (EOFError, OSError):
            return None

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


class Processes:
    """Some grading processes; each starts when there is work for it."""

    def __init__(self, jobs: int, task: Task) -> None:
        """Take how many there are at most, and what all of them judge by."""
        self._task, self._cores = task, sorted(os.sched_getaffinity(0))
        self._places: list[_Process | None] = [None] * jobs

    def _working(self) -> list[_Process]:
        return [each for each in self._places if each is not None and each.work]

    @property
    def is_busy(self) -> bool:
        """Whether something is under way."""
        return bool(self._working())

    @property
    def has_room(self) -> bool:
        """Whether more can be handed over."""
        return len(self._working()) < len(self._places)

    def hand_over(self, work: Work) -> None:
        """Have submissions judged by a process that has nothing to do.

        Raises:
            Halted: none can be started.
        """
        idle = [place for place, each in enumerate(self._places) if each is None or not each.work]
        place = next((place for place in idle if self._places[place] is not None), idle[0])
        process = self._places[place]
        if process is None or not process.process.is_alive():
            self._drop(place)
            process = self._places[place] = _start(self._task, self._cores[place % len(self._cores)])
        process.work = work
        process.send(work)

    def answers(self, is_waiting: bool) -> Iterator[tuple[Work, list[Outcome] | None]]:
        """Yield what is judged, and its outcomes; None of a process that has died over it.

        Args:
            is_waiting: wait for one, unless nothing is under way.
        """
        working = self._working()
        ready = wait([each.pipe for each in working], None if is_waiting and working else 0)
        for process in working:
            if process.pipe in ready:
                work, process.work = process.work, ()
                outcomes = process.receive()
                if outcomes is None:
                    self._drop(self._places.index(process))
                yield work, outcomes

    def finish(self) -> None:
        """Let processes end that have nothing to do."""
        for each in filter(None, self._places):
            each.send(None)
        for each in filter(None, self._places):
            each.process.join()

    def end(self) -> None:
        """End them all, whatever they do."""
        for place in range(len(self._places)):
            self._drop(place)

    def _drop(self, place: int) -> None:
        process, self._places[place] = self._places[place], None
        if process is not None:
            process.end()


@contextmanager
def processes_of(jobs: int, task: Task) -> Iterator[Processes]:
    """Give grading processes; they end in order with what is done, and at once with what is broken off."""
    processes = Processes(jobs, task)
    try:
        yield processes
        processes.finish()
    finally:
        processes.end()


def _start(task: Task, core: int) -> _Process:
    """Start a process, which must not be interrupted before it can ignore Ctrl-C.

    Raises:
        Halted: it cannot be started.
    """
    resource_tracker.ensure_running()  # the first process starts it, and it lets Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return _Process(task, core)
    except OSError as error:
        raise Halted(
            f"A grading process cannot be started ({error.strerror}); lower --jobs or raise the limits on processes "
            "and open files"
        ) from None
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
