"""A batch's results on disk: results.jsonl grows line by line, results.csv is written at the end."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, TextIO

from grader.batch.submissions import Submission, Unreadable, read_submission
from grader.errors import JudgeError, UserError
from grader.report.result import SCHEMA, csv_row, csv_table, json_line

LINES: Final = "results.jsonl"
TABLE: Final = "results.csv"
SYNC_EVERY: Final = 100  # lines between two writes to the disk itself


class Results:
    """The folder that a batch writes to. Only one batch writes to it at a time."""

    def __init__(self, folder: Path, resume: bool) -> None:
        """Open the folder.

        Raises:
            UserError: it cannot be written, another batch writes to it, or it holds results and `resume` was not
                asked for.
        """
        self._lines_path, self._table_path = folder / LINES, folder / TABLE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                _keep_others_out(self._lock, folder)
                _refuse_unusable((self._lines_path, self._table_path), resume)
                self._file: TextIO = open(self._lines_path, "a", encoding="ascii")  # noqa: SIM115 - closed by __exit__
            except BaseException:
                os.close(self._lock)
                raise
        except OSError as error:
            raise UserError(f"{folder} cannot be written ({error.strerror}); name another folder.") from None
        self._unsynced = 0

    def keep(self, wanted: Iterable[Submission], packages: Mapping[str, str]) -> set[tuple[str, str]]:
        """Keep the finished results that still hold, drop the rest, and return whose they are.

        A result holds when its submission is wanted, source and package are the same bytes, and it is no JE: our own
        failures are judged again. A last line that was cut short is dropped.

        Args:
            packages: each problem's package hash.
        Raises:
            JudgeError: the kept results cannot be written; the file is as it was.
        """
        paths = {submission.key: submission.path for submission in wanted}
        kept: dict[tuple[str, str], str] = {}
        for line, value in self._read():
            key = (str(value.get("candidate")), str(value.get("problem")))
            if key in paths and key not in kept and _holds(value, paths[key], packages.get(key[1])):
                kept[key] = line
        self._rewrite(kept.values())
        return set(kept)

    def _read(self) -> Iterator[tuple[str, dict[str, Any]]]:
        with open(self._lines_path, encoding="ascii", errors="replace") as file:
            for line in file:
                try:
                    value = json.loads(line)
                except (ValueError, RecursionError):  # cut short, or damaged
                    continue
                if line.endswith("\n") and isinstance(value, dict):
                    yield line, value

    def _rewrite(self, lines: Iterable[str]) -> None:
        _write_whole(self._lines_path, lines)
        self._file.close()
        self._file = open(self._lines_path, "a", encoding="ascii")  # noqa: SIM115 - closed by __exit__

    def add(self, result: Mapping[str, Any]) -> None:
        """Append one result.

        Raises:
            JudgeError: it cannot be written; those before it are.
        """
        with _clear_errors(self._lines_path):
            self._file.write(json_line(result) + "\n")
            self._file.flush()
            self._unsynced += 1
            if self._unsynced >= SYNC_EVERY:
                self._sync()

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        self._unsynced = 0

    def finish(self) -> dict[str, int]:
        """Write the table from all lines; return how many there are of each verdict.

        Raises:
            JudgeError: it cannot be written.
        """
        with _clear_errors(self._lines_path):
            self._sync()
        rows = [csv_row(value) for _, value in self._read()]
        _write_whole(self._table_path, [csv_table(rows)])
        counts: dict[str, int] = {}
        for row in rows:
            counts[row["verdict"]] = counts.get(row["verdict"], 0) + 1
        return counts

    def __enter__(self) -> Results:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._lock)
        with contextlib.suppress(OSError):  # what was cut short by a full disk cannot be written now either
            self._file.close()


def _keep_others_out(descriptor: int, folder: Path) -> None:
    """Lock a folder against other batches until the descriptor is closed, however this process ends."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
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
        if not path.is_file():
            raise UserError(f"{path} is no regular file; remove it, or name another folder.")


@contextlib.contextmanager
def _clear_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise JudgeError(
            f"{path} cannot be written ({error.strerror}); make room, then go on with --resume: what is in it stays."
        ) from None


def _write_whole(path: Path, parts: Iterable[str]) -> None:
    """Replace a file by another content, or leave it as it is."""
    new = path.with_suffix(".new")
    with _clear_errors(path):
        try:
            with open(new, "w", encoding="utf-8", newline="") as file:
                file.writelines(parts)
                file.flush()
                os.fsync(file.fileno())
            os.replace(new, path)
        except OSError:
            new.unlink(missing_ok=True)
            raise


def _holds(value: Mapping[str, Any], path: Path, package: str | None) -> bool:
    if value.get("schema") != SCHEMA or value.get("verdict") == "JE":
        return False
    if package is None or value.get("package_sha256") != package:
        return False
    try:
        return value.get("source_sha256") == hashlib.sha256(read_submission(path)).hexdigest()
    except Unreadable:
        return False
