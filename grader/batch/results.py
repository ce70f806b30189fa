"""A batch's results on disk: a file of lines, read back after whatever has stopped the batch.

While a batch judges, the file only grows. A batch that goes on first writes it anew without the lines that do not hold
any more, which stand in a file of their own then; `rejudge` puts other lines in their place.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, NoReturn

from grader import __version__
from grader.batch.disk import Halted, clear_errors, write_whole
from grader.errors import UserError
from grader.grading.verdict import Verdict
from grader.report.result import SCHEMA, json_line

LINES: Final = "results.jsonl"
REJUDGED: Final = "rejudged.jsonl"
DROPPED: Final = "dropped"  # .<n>.jsonl: results that did not hold any more when a batch went on
MARKS: Final = (LINES, "results.csv", "manifest.json")  # a folder that holds one of these is a batch's
SYNC_EVERY: Final = 100  # lines between two writes to the disk itself
Key = tuple[str, str]  # candidate and problem


@dataclass(frozen=True)
class Wanted:
    """What a finished result must be of, to hold: these sources, these packages, this version of the grader."""

    sources: Mapping[Key, str]  # source hash by candidate and problem
    packages: Mapping[str, str]  # package hash by problem
    again: frozenset[str] = frozenset({Verdict.JE.value})  # verdicts that are not kept; JE is our own failure
    lacks: Callable[[Mapping[str, Any]], bool] = field(default=lambda value: False)  # something beside the line
    broken: frozenset[str] = frozenset()  # problems that nothing can be judged against; what they have stays

    def holds(self, key: Key, value: Mapping[str, Any]) -> bool:
        """Whether a result need not be made again."""
        if key[1] in self.broken:
            return self.is_current(key, value) and value.get("verdict") != Verdict.JE
        return self.is_current(key, value) and value.get("verdict") not in self.again and not self.lacks(value)

    def is_current(self, key: Key, value: Mapping[str, Any]) -> bool:
        """Whether a result is of the sources, packages and grader of now."""
        if key not in self.sources or value.get("schema") != SCHEMA:
            return False
        if value.get("source_sha256") != self.sources[key]:
            return False
        versions = value.get("versions")
        return key[1] in self.broken or (
            key[1] in self.packages
            and value.get("package_sha256") == self.packages[key[1]]
            and isinstance(versions, dict)
            and versions.get("grader") == __version__
        )


@dataclass(frozen=True)
class Line:
    """Where a result stands in a file of results."""

    start: int
    length: int
    value: dict[str, Any]

    @property
    def key(self) -> Key:
        """Whose it is."""
        return (str(self.value.get("candidate")), str(self.value.get("problem")))


def read_lines(path: Path) -> Iterator[Line]:
    """Yield a file's whole results; lines that were cut short or damaged are passed over."""
    start = 0
    with open(path, "rb") as file:
        for raw in file:
            try:
                value = json.loads(raw)
            except (ValueError, RecursionError):
                value = None
            if raw.endswith(b"\n") and isinstance(value, dict):
                yield Line(start, len(raw), value)
            start += len(raw)


def kept_lines(path: Path, wanted: Wanted) -> dict[Key, Line]:
    """Return the results of a file that hold; of several for one submission the first."""
    kept: dict[Key, Line] = {}
    for line in read_lines(path):
        if line.key not in kept and wanted.holds(line.key, line.value):
            kept[line.key] = replace(line, value={})
    return kept


def changed_problems(path: Path, wanted: Wanted) -> set[str]:
    """Return the problems with results of these sources that another package gave, or one that cannot be read now."""
    return {
        line.key[1]
        for line in read_lines(path)
        if line.value.get("verdict") != Verdict.JE
        and line.value.get("source_sha256") == wanted.sources.get(line.key, "")
        and line.value.get("package_sha256") != wanted.packages.get(line.key[1])
    }


def outdated_lines(path: Path, wanted: Wanted) -> list[Line]:
    """Return the results of a file that are not of the sources, packages and grader of now."""
    lines = read_lines(path)
    return [replace(line, value={}) for line in lines if not wanted.is_current(line.key, line.value)]


def numbers_of(folder: Path, stem: str) -> list[int]:
    """Return every n of the files <stem>.<n>.jsonl in a folder, the highest first."""
    name = re.compile(rf"{stem}\.([1-9][0-9]{{0,5}})\.jsonl")
    names = os.listdir(folder) if folder.is_dir() else []
    return sorted((int(found[1]) for each in names if (found := name.fullmatch(each))), reverse=True)


def last_number(folder: Path, stem: str) -> int:
    """Return the highest of these numbers; 0 without any."""
    return next(iter(numbers_of(folder, stem)), 0)


def require_usable(folder: Path, resume: bool) -> None:
    """Make sure that a batch could write to a folder, and write nothing.

    Raises:
        UserError: as `Results` raises it.
    """
    above = next(path for path in (folder, *folder.absolute().parents) if os.path.lexists(path))
    if not above.is_dir():
        _cannot_write(folder, errno.EEXIST if above == folder else errno.ENOTDIR)
    if above == folder:
        _require_free(folder)
        _refuse_unusable((folder / mark for mark in MARKS), resume)
    if not os.access(above, os.W_OK | os.X_OK):
        _cannot_write(folder, errno.EROFS if os.statvfs(above).f_flag & os.ST_RDONLY else errno.EACCES)


def _require_free(folder: Path) -> None:
    try:
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        _cannot_write(folder, error.errno or 0)
    try:
        _keep_others_out(lock, folder, fcntl.LOCK_SH)
    finally:
        os.close(lock)


class Results:
    """The folder that a batch writes to. Only one batch writes to it at a time."""

    def __init__(self, folder: Path, resume: bool, name: str = LINES) -> None:
        """Open the folder.

        Args:
            name: of the file of lines.

        Raises:
            UserError: it cannot be written, another batch writes to it, or it holds results and `resume` was not
                asked for.
        """
        self.folder, self.path = folder, folder / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                _keep_others_out(self._lock, folder)
                _refuse_unusable((folder / mark for mark in {name, *MARKS}), resume)
                self._file = _append_to(self.path)
            except BaseException:
                os.close(self._lock)
                raise
        except OSError as error:
            _cannot_write(folder, error.errno or 0)
        self._unsynced = 0

    def set_aside(self, wanted: Wanted) -> tuple[int, Path]:
        """Copy the results that are not current to a file of their own; return how many there are, and the file.

        Raises:
            Halted: they cannot be written.
        """
        gone = outdated_lines(self.path, wanted)
        path = self.folder / f"{DROPPED}.{last_number(self.folder, DROPPED) + 1}.jsonl"
        if gone:
            write_whole(path, _pieces(self.path, gone))
        return len(gone), path

    def keep(self, wanted: Wanted) -> set[Key]:
        """Keep the results that hold, drop the rest, and return whose they are.

        A line that was cut short is dropped. The file is written anew only where something is dropped.

        Raises:
            Halted: the kept results cannot be written; the file is as it was.
        """
        kept = kept_lines(self.path, wanted)
        if sum(line.length for line in kept.values()) != self.path.stat().st_size:
            write_whole(self.path, _pieces(self.path, kept.values()))
            self._file.close()
            self._file = _append_to(self.path)
        return set(kept)

    def add(self, result: Mapping[str, Any]) -> None:
        """Append one result.

        Raises:
            Halted: it cannot be written; those before it are.
        """
        with clear_errors(self.path):
            self._file.write(json_line(result).encode("ascii") + b"\n")
            self._file.flush()
            self._unsynced += 1
            if self._unsynced >= SYNC_EVERY:
                self._sync()

    def require_present(self) -> None:
        """Make sure that what is written can be found.

        Raises:
            Halted: somebody has removed the file, or put another in its place.
        """
        try:
            if os.path.samestat(os.stat(self.path, follow_symlinks=False), os.fstat(self._file.fileno())):
                return
        except OSError:
            pass
        raise Halted(f"{self.path} was removed or replaced while results were written to it; bring it back")

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        self._unsynced = 0

    def finish(self) -> None:
        """Have every line on the disk itself.

        Raises:
            Halted: they cannot be written.
        """
        with clear_errors(self.path):
            self._sync()

    def __enter__(self) -> Results:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._lock)
        with contextlib.suppress(OSError):  # what was cut short by a full disk cannot be written now either
            self._file.close()


def _pieces(path: Path, lines: Iterable[Line]) -> Iterator[bytes]:
    with open(path, "rb") as file:
        for line in lines:
            file.seek(line.start)
            yield file.read(line.length)


def _append_to(path: Path) -> BinaryIO:
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    return open(os.open(path, flags, 0o666), "ab")


def _cannot_write(folder: Path, number: int) -> NoReturn:
    raise UserError(f"{folder} cannot be written ({os.strerror(number)}); name another folder.") from None


def _keep_others_out(descriptor: int, folder: Path, kind: int = fcntl.LOCK_EX) -> None:
    """Lock a folder against other batches until the descriptor is closed, however this process ends."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UserError(f"Another batch writes to {folder}; wait for it, or name another folder.") from None
    except OSError:
        pass  # a file system without locks


def _refuse_unusable(paths: Iterable[Path], resume: bool) -> None:
    for path in paths:
        if not os.path.lexists(path):
            continue
        if not resume:
            raise UserError(f"{path.parent} holds results already; add --resume to go on, or name another folder.")
        if not path.is_file() or path.is_symlink():
            raise UserError(f"{path} is no regular file; remove it, or name another folder.")
