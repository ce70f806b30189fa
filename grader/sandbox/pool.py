"""Lanes of the sandbox, lent to one thread at a time."""

from __future__ import annotations

import contextlib
import os
import queue
import threading
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Final

from grader.sandbox.lane import Lane, SandboxUnavailable

__all__ = ["Lane", "Pool", "SandboxUnavailable"]
CLOSE_S: Final = 15.0  # for the threads that still judge when a pool is closed


class Pool:
    """Lanes for as many runs at a time as there are usable cores; `lane` waits for a free one."""

    def __init__(self, lanes: int | None = None, allow_weak: bool = False) -> None:
        cores = sorted(os.sched_getaffinity(0))
        self.size = lanes or len(cores)
        self._lanes = [Lane(cores[index % len(cores)], allow_weak=allow_weak) for index in range(self.size)]
        self._free: queue.LifoQueue[Lane] = queue.LifoQueue()
        self._waiting = 0  # threads that want a lane
        self._lock = threading.Lock()
        for lane in reversed(self._lanes):
            self._free.put(lane)

    def start(self) -> None:
        """Start every zygote without waiting."""
        for lane in self._lanes:
            lane.start()

    @property
    def busy(self) -> int:
        """How many lanes are lent right now."""
        return self.size - self._free.qsize()

    @property
    def zygotes_started(self) -> int:
        """How many zygotes have been started; more than there are lanes when some died."""
        return sum(lane.starts for lane in self._lanes)

    @contextlib.contextmanager
    def lane(self) -> Iterator[Lane]:
        """Lend a lane to this thread; once it is given back, its next child is forked ahead.

        The child does not warm itself while somebody waits for a lane: then no time is idle.
        """
        lane = self._next_free()
        try:
            yield lane
        finally:
            try:
                lane.refill(is_idle=not self._waiting)
            finally:
                self._free.put(lane)

    def _next_free(self) -> Lane:
        with self._lock:
            self._waiting += 1
        try:
            return self._free.get()
        finally:
            with self._lock:
                self._waiting -= 1

    def close(self) -> None:
        """End every zygote and child. A run of another thread ends as lost; its lane is waited for a while."""
        for lane in self._lanes:
            lane.kill()
        # only a lane's own thread may close its descriptors: their numbers could be someone else's a moment later
        deadline = time.monotonic() + CLOSE_S
        idle: list[Lane] = []
        with contextlib.suppress(queue.Empty):
            while len(idle) < self.size:
                idle.append(self._free.get(timeout=max(0.0, deadline - time.monotonic())))
        for lane in idle:
            lane.close()
            self._free.put(lane)

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
