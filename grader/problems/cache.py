"""Keeps what a package's code was run for, on disk: cases, traces, what its faults return, what its check found.

One file of each kind per package hash, grader and NumPy version and architecture.

Plain wire values behind a checksum, never pickle. The directory is 0700 and the user's own, otherwise nothing is read
or written and the cases live in memory only. A damaged or foreign file is computed anew.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import math
import mmap
import os
import platform
import stat
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np

import grader
from grader import __version__
from grader.errors import InvalidPackage
from grader.problems.cases import Case, build_cases, pack, unpack
from grader.problems.loader import Problem
from grader.problems.making import SUFFIX, Makers
from grader.sandbox.pool import Lane
from grader.sandbox.wire import Buffer, WireError

_MAGIC: Final = b"grader cases 3\n"
KINDS: Final = ("cases", "stages", "traces", "faults", "pairs", "varied", "check")
REMEMBERED_MAX: Final = 128  # values in memory: of some thirty packages all that judging needs
_HEAD: Final = mmap.ALLOCATIONGRANULARITY  # bytes before the values, so that these can be mapped
MAPPED_MIN: Final = 4 << 20  # bytes of values; larger ones are mapped: all processes share one copy of them
Kept = TypeVar("Kept")
FAILED_S: Final = 60.0  # cases that could not be generated are not tried again so soon
KEPT_DAYS: Final = 60  # files not used for so long are removed
USED_AGAIN_S: Final = 86_400.0  # a file's time says to the day when it was last used


def _open_itself(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _head(path: Path, data: Buffer) -> bytes:
    """Return how a file begins: with its checksum, in which its name takes part, so that no other can be in its place.

    So does our own code, except for cases: what it found out of the same package may be something else tomorrow.
    """
    code = b"" if path.suffix == ".cases" else _code()
    digest = hashlib.sha256(code + path.name.encode() + b"\0")
    digest.update(data)
    return (_MAGIC + digest.digest()).ljust(_HEAD, b"\0")


@functools.cache
def _code() -> bytes:
    root = Path(grader.__file__).parent
    files = sorted(path for layer in ("sandbox", "problems", "grading") for path in (root / layer).glob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).digest()


class CaseCache:
    """Cases by package, in memory and below a folder."""

    def __init__(self, folder: Path | None, warn: Callable[[str], None] = lambda text: None) -> None:
        self._memory: OrderedDict[tuple[str, str], Any] = OrderedDict()  # by hash and kind, least recently used first
        self._used: dict[tuple[str, str], float] = {}  # when its file was last told so, by hash and kind
        self._failed: dict[str, tuple[float, tuple[str, ...]]] = {}  # when cases could not be generated, and why
        self._lock = threading.Lock()
        self._makers = Makers()
        self._has_warned = False
        self._warn = warn
        self._folder = self._usable(folder) if folder is not None else None

    def cases(self, problem: Problem, lane: Lane) -> tuple[Case, ...]:
        """Return a problem's cases; the first time for a package they are generated in the lane's sandbox.

        Raises:
            InvalidPackage: they cannot be generated; for a while it is not tried again, for it may take long.
        """
        found = self.kept(problem, "cases", unpack)
        if found is None:
            self._refuse_failed(problem)
            try:
                found = build_cases(problem, lane)
            except InvalidPackage as error:
                self._failed[problem.sha256] = time.monotonic(), error.findings
                raise
            self.keep(problem, "cases", found, pack)
        return found

    def making(self, problem: Problem, stopped: Callable[[], bool] = lambda: False) -> AbstractContextManager[None]:
        """Keep other threads and processes from making what takes long for a package.

        Whoever comes second finds it made.

        Args:
            stopped: asked while waiting for another process; true ends the wait.
        """
        return self._makers.only(problem.sha256, self._folder, stopped)

    def _refuse_failed(self, problem: Problem) -> None:
        failed_at, findings = self._failed.get(problem.sha256, (0.0, ()))
        if findings and time.monotonic() - failed_at < FAILED_S:
            raise InvalidPackage(findings)

    def kept(self, problem: Problem, kind: str, unpacked: Callable[[Buffer], Kept]) -> Kept | None:
        """Return what was kept of a package under one of `KINDS`; None when there is nothing, or something else."""
        with self._lock:
            if (problem.sha256, kind) in self._memory:
                self._memory.move_to_end((problem.sha256, kind))
                found: Kept | None = self._memory[problem.sha256, kind]
            else:
                found = None
        if found is None:
            found = self._from_disk(problem, kind, unpacked)
        if found is not None:
            self._mark_used(problem, kind)
        return found

    def _from_disk(self, problem: Problem, kind: str, unpacked: Callable[[Buffer], Kept]) -> Kept | None:
        data = self._read(self._path(problem, kind)) if self._folder is not None else None
        if data is None:
            return None
        try:
            value = unpacked(data)
        except WireError:
            return None
        self._remember(problem, kind, value)
        return value

    def _mark_used(self, problem: Problem, kind: str) -> None:
        """Have a file's time say that it is used, whether it was read or is in memory: others go by it to remove it."""
        now = time.monotonic()
        if self._folder is not None and now - self._used.get((problem.sha256, kind), -math.inf) > USED_AGAIN_S:
            self._used[problem.sha256, kind] = now
            with contextlib.suppress(OSError):  # another's folder by now, or a file that is gone
                os.utime(self._path(problem, kind), follow_symlinks=False)

    def keep(self, problem: Problem, kind: str, value: Kept, packed: Callable[[Kept], bytes]) -> None:
        """Keep something of a package under one of `KINDS`: in memory as well, unless it can be mapped from now on."""
        if self._folder is not None:
            data = packed(value)
            if self._write(self._path(problem, kind), data) and len(data) >= MAPPED_MIN:
                return
        self._remember(problem, kind, value)

    def _remember(self, problem: Problem, kind: str, value: object) -> None:
        with self._lock:
            self._memory[problem.sha256, kind] = value
            self._memory.move_to_end((problem.sha256, kind))
            while len(self._memory) > REMEMBERED_MAX:
                self._memory.popitem(last=False)

    def _path(self, problem: Problem, kind: str) -> Path:
        assert self._folder is not None
        assert kind in KINDS
        return self._folder / f"{problem.sha256}-{__version__}-{np.__version__}-{platform.machine()}.{kind}"

    def _usable(self, folder: Path) -> Path | None:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            status = folder.stat(follow_symlinks=False)
        except OSError as error:
            self._warn(f"The cache {folder} cannot be used ({error.strerror}); cases are generated each time.")
            return None
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
            self._warn(
                f"The cache {folder} is not private to this user; make it 0700 and your own, or set GRADER_CACHE."
            )
            return None
        return folder

    @staticmethod
    def _read(path: Path) -> Buffer | None:
        try:
            with open(path, "rb", opener=_open_itself) as file:
                status = os.fstat(file.fileno())
                if status.st_uid != os.geteuid() or not stat.S_ISREG(status.st_mode):
                    return None
                head, size = file.read(_HEAD), status.st_size - _HEAD
                # a file is only ever replaced by another one, never written to: what is mapped stays as it is
                is_large = size >= MAPPED_MIN
                data = mmap.mmap(file.fileno(), size, prot=mmap.PROT_READ, offset=_HEAD) if is_large else file.read()
        except (OSError, ValueError):
            return None
        if head != _head(path, data):
            return None
        return data

    def _write(self, path: Path, data: bytes) -> bool:
        """Put a file in its place; return whether it is there."""
        try:
            with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".new-", delete=False) as file:
                try:
                    file.write(_head(path, data) + data)
                    file.flush()
                    os.replace(file.name, path)
                except BaseException:
                    os.unlink(file.name)
                    raise
        except OSError as error:
            if not self._has_warned:
                self._warn(
                    f"The cache {path.parent} cannot be written ({error.strerror}); cases are generated each time."
                )
            self._has_warned = True
            return False
        self._prune(path.parent)
        return True

    @staticmethod
    def _prune(folder: Path) -> None:
        oldest = time.time() - KEPT_DAYS * 86400
        patterns = (*(f"*.{kind}" for kind in KINDS), f"*{SUFFIX}", ".new-*")  # the last of writers that were killed
        for path in (path for pattern in patterns for path in folder.glob(pattern)):
            with contextlib.suppress(OSError):
                if path.stat().st_mtime < oldest:
                    path.unlink()
