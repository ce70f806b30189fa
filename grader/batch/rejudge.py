"""Judging a finished batch again: which results are outdated, and taking over new ones so that it can be undone.

What is taken over as <n> keeps the results before it in results.<n>.jsonl, what was put in their place in
rejudged.<n>.jsonl, and the evidence records before it in evidence.<n>. The lines are replaced at one stroke, records
follow them one by one; whatever a crash leaves of that, `settle` sees to before anything else is done.
"""

from __future__ import annotations

import filecmp
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from grader import __version__
from grader.batch.disk import clear_errors, sync_folder, write_whole
from grader.batch.outputs import EVIDENCE, Places
from grader.batch.records import mark_of, settle_record
from grader.batch.results import LINES, REJUDGED, Key, last_number, numbers_of, read_lines
from grader.errors import UserError
from grader.report.result import json_line

_KEPT: Final = LINES.removesuffix(".jsonl")
_TAKEN: Final = REJUDGED.removesuffix(".jsonl")
_FIELDS: Final = frozenset({"candidate", "problem", "verdict", "score", "source_sha256", "package_sha256", "versions"})
ASIDE: Final = "rejudged"  # the folder of records of results that are not taken over yet


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
    """Yield a batch's results; a line that is none is passed over, as when a batch goes on.

    Raises:
        UserError: there are none.
    """
    path = folder / name
    try:
        for line in read_lines(path):
            if line.value.keys() >= _FIELDS:
                yield line.value
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror}); name a folder that grader batch wrote.") from None


def take_over(places: Places, keys: Collection[Key]) -> Path:
    """Put the rejudged results of some submissions, and their records, in place of theirs.

    Returns:
        The file that keeps the old ones.

    Raises:
        Halted: it cannot be written; the same again goes on.
    """
    folder = places.folder
    new = {key: value for value in read_results(folder, REJUDGED) if (key := _key(value)) in keys}
    number = last_number(folder, _KEPT)
    kept = _file(folder, _KEPT, number)
    with clear_errors(folder / LINES):
        if not (number and filecmp.cmp(kept, folder / LINES, shallow=False)):  # else a taking over was cut short
            number += 1
            kept = _file(folder, _KEPT, number)
            with open(folder / LINES, "rb") as file:
                write_whole(kept, file)
    write_whole(_file(folder, _TAKEN, number), _lines(new.values()))
    write_whole(folder / LINES, _lines(new.get(_key(value), value) for value in read_results(folder)))
    settle(places)
    return kept


def put_back(places: Places) -> Path:
    """Put back what the last taking over has replaced and nothing has replaced since; return the file that held it.

    The file stays until `forget` is called, so that this may be repeated.

    Raises:
        UserError: nothing was taken over.
        Halted: it cannot be written; the same again goes on.
    """
    folder = places.folder
    number = last_number(folder, _KEPT)
    if not number:
        raise UserError(f"{folder} holds no earlier results; there is nothing to undo.")
    kept, taken = _file(folder, _KEPT, number), _file(folder, _TAKEN, number)
    replaced = {_key(value): value for value in read_results(folder, taken.name)} if taken.exists() else None
    old = dict(_replaced(folder, number))

    def before(value: dict[str, Any]) -> dict[str, Any]:
        key = _key(value)
        if replaced is None:  # written by a release that did not note what was put in their place
            is_ours = key in old and old[key]["source_sha256"] == value["source_sha256"]
        else:
            is_ours = replaced.get(key) == value and key in old
        return old[key] if is_ours else value

    write_whole(folder / LINES, _lines(map(before, read_results(folder))))
    settle(places)
    return kept


def settle(places: Places) -> None:
    """Have the evidence records that follow results be beside them, and those of results before where these are kept.

    Raises:
        Halted: a record cannot be moved; the same again goes on.
    """
    folder = places.folder
    kept = {
        number: {key: mark_of(value) for key, value in _replaced(folder, number)}
        for number in numbers_of(folder, _KEPT)
    }
    moved = {key for marks in kept.values() for key in marks}
    with clear_errors(folder / EVIDENCE):
        for value in read_results(folder) if moved else ():
            key = _key(value)
            if key in moved and key[0] in places.names:
                before = {number: marks[key] for number, marks in kept.items() if key in marks}
                settle_record(places, places.aside(ASIDE), value, before)


def _replaced(folder: Path, number: int) -> Iterator[tuple[Key, dict[str, Any]]]:
    """Yield the results that a taking over has replaced."""
    taken = _file(folder, _TAKEN, number)
    keys = {_key(value) for value in read_results(folder, taken.name)} if taken.exists() else None
    for value in read_results(folder, _file(folder, _KEPT, number).name):
        if keys is None or _key(value) in keys:
            yield _key(value), value


def forget(folder: Path) -> None:
    """Remove what the last taking over has kept, once it is put back."""
    number = last_number(folder, _KEPT)
    with clear_errors(folder / LINES):
        shutil.rmtree(folder / f"{EVIDENCE}.{number}", ignore_errors=True)
        _file(folder, _TAKEN, number).unlink(missing_ok=True)
        os.unlink(_file(folder, _KEPT, number))
        sync_folder(folder)


def clear(folder: Path) -> None:
    """Remove what was judged again, once it is taken over."""
    with clear_errors(folder / REJUDGED):
        shutil.rmtree(folder / ASIDE, ignore_errors=True)
        (folder / REJUDGED).unlink(missing_ok=True)


def _file(folder: Path, stem: str, number: int) -> Path:
    return folder / f"{stem}.{number}.jsonl"


def _lines(values: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    return (json_line(value).encode("ascii") + b"\n" for value in values)


def _key(value: Mapping[str, Any]) -> Key:
    return (str(value["candidate"]), str(value["problem"]))
