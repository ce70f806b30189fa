"""Judging a finished batch again: which results are outdated, and taking over new ones so that it can be undone."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from grader import __version__
from grader.batch.disk import clear_errors, sync_folder, write_whole
from grader.batch.results import LINES, REJUDGED, Key, read_lines
from grader.errors import UserError
from grader.report.result import json_line

_KEPT: Final = re.compile(r"results\.([1-9][0-9]{0,5})\.jsonl")


@dataclass(frozen=True)
class Old:
    """A result that is there."""

    verdict: str
    score: float | None
    source_sha256: str


def outdated(folder: Path, packages: Mapping[str, str], problems: Collection[str]) -> dict[Key, Old]:
    """Return the results that another package or another grader gave.

    Args:
        packages: hashes of the packages that are installed now.
        problems: whose results are looked at; all without any.

    Raises:
        UserError: there are no results.
    """
    found = {}
    for value in read_results(folder):
        slug = str(value["problem"])
        if (problems and slug not in problems) or slug not in packages:
            continue
        if value["package_sha256"] != packages[slug] or value["versions"].get("grader") != __version__:
            found[str(value["candidate"]), slug] = Old(value["verdict"], value["score"], value["source_sha256"])
    return found


def read_results(folder: Path, name: str = LINES) -> Iterator[dict[str, Any]]:
    """Yield a batch's results.

    Raises:
        UserError: there are none.
    """
    path = folder / name
    try:
        for line in read_lines(path):
            yield line.value
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror}); name a folder that grader batch wrote.") from None


def take_over(folder: Path, keys: Collection[Key]) -> Path:
    """Put the rejudged results of some submissions in place of theirs; return the file that keeps the old ones.

    Raises:
        JudgeError: it cannot be written; then nothing has changed.
    """
    new = {_key(value): value for value in read_results(folder, REJUDGED) if _key(value) in keys}
    kept = folder / f"results.{max(_numbers(folder), default=0) + 1}.jsonl"
    with clear_errors(folder / LINES), open(folder / LINES, "rb") as file:
        write_whole(kept, file)
    merged = (json_line(new.get(_key(value), value)).encode("ascii") + b"\n" for value in read_results(folder))
    write_whole(folder / LINES, merged)
    return kept


def undo(folder: Path) -> Path:
    """Put back what the last taking over has replaced; return the file that held it.

    Raises:
        UserError: nothing was taken over.
        JudgeError: it cannot be written; then nothing has changed.
    """
    numbers = _numbers(folder)
    if not numbers:
        raise UserError(f"{folder} holds no earlier results; there is nothing to undo.")
    kept = folder / f"results.{max(numbers)}.jsonl"
    with clear_errors(kept), open(kept, "rb") as file:
        write_whole(folder / LINES, file)
        os.unlink(kept)
        sync_folder(folder)
    return kept


def _numbers(folder: Path) -> list[int]:
    names = os.listdir(folder) if folder.is_dir() else []
    return [int(found[1]) for name in names if (found := _KEPT.fullmatch(name))]


def _key(value: Mapping[str, Any]) -> Key:
    return (str(value["candidate"]), str(value["problem"]))
