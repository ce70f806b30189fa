"""One maker at a time of what takes long: among the threads and the processes that share a folder."""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

SUFFIX: Final = ".making"
LOOK_S: Final = 0.1
PATIENCE_S: Final = 180.0  # then it is made beside a process that has been stopped, or makes nothing


class Makers:
    """Locks by name; a process's lock ends with it, however that ends."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._names: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    @contextlib.contextmanager
    def only(self, name: str, folder: Path | None, stopped: Callable[[], bool]) -> Iterator[None]:
        """Keep others from making what has a name; whoever comes second finds it made.

        Args:
            folder: that other processes use as well; None: nothing is kept for them.
            stopped: asked while waiting; true ends the wait.
        """
        with self._lock:
            mine = self._names[name]
        with mine, contextlib.ExitStack() as stack:
            if folder is not None:
                with contextlib.suppress(OSError):  # a full disk, a file system without locks: made by each of them
                    _wait(stack.enter_context(_opened(folder / f"{name}{SUFFIX}")), stopped)
            yield


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        os.utime(descriptor)  # a lock that is old is removed, which one that is held must not be
        yield descriptor
    finally:
        os.close(descriptor)


def _wait(descriptor: int, stopped: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not stopped() and time.monotonic() < deadline:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            time.sleep(LOOK_S)
