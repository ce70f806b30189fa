"""Judging a finished batch again: which results are outdated, and taking over new ones so that it can be undone.

What is taken over as <n> keeps the results before it in results.<n>.jsonl, what was put in their place in
rejudged.<n>.jsonl, and the evidence records before it in evidence.<n>. Every step may be repeated after a crash.
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
from grader.batch.results import LINES, REJUDGED, Key, last_number, read_lines
from grader.batch.submissions import Submission
from grader.errors import UserError
from grader.grading.verdict import Verdict
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
        for key, value in new.items():
            _take_record(places, key, value, number)
    write_whole(folder / LINES, _lines(new.get(_key(value), value) for value in read_results(folder)))
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
    wanted = None if replaced is None else replaced.keys()
    every = ((_key(value), value) for value in read_results(folder, kept.name))
    old = {key: value for key, value in every if wanted is None or key in wanted}

    def before(value: dict[str, Any]) -> dict[str, Any]:
        key = _key(value)
        if replaced is None:  # written by a release that did not note what was put in their place
            is_ours = key in old and old[key]["source_sha256"] == value["source_sha256"]
        else:
            is_ours = replaced.get(key) == value and key in old
        return old[key] if is_ours else value

    with clear_errors(folder / LINES):
        for value in read_results(folder):
            if before(value) is not value:
                _put_record_back(places, old[_key(value)], number)
    write_whole(folder / LINES, _lines(map(before, read_results(folder))))
    return kept


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


def _take_record(places: Places, key: Key, value: Mapping[str, Any], number: int) -> None:
    """Move a new evidence record to its place, and the old one out of it."""
    new = places.aside(ASIDE).evidence(_submission(key))
    present, kept = places.evidence(_submission(key)), _kept_record(places, key, number)
    is_made = new.exists()
    if (is_made or value["verdict"] == Verdict.AC) and present.exists() and not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        os.replace(present, kept)
    if is_made:
        present.parent.mkdir(parents=True, exist_ok=True)
        os.replace(new, present)


def _put_record_back(places: Places, old: Mapping[str, Any], number: int) -> None:
    present, kept = places.evidence(_submission(_key(old))), _kept_record(places, _key(old), number)
    if kept.exists():
        present.parent.mkdir(parents=True, exist_ok=True)
        os.replace(kept, present)
    elif old["verdict"] in (Verdict.AC, Verdict.JE):  # which have none
        present.unlink(missing_ok=True)


def _kept_record(places: Places, key: Key, number: int) -> Path:
    present = places.evidence(_submission(key))
    return places.folder / f"{EVIDENCE}.{number}" / present.relative_to(places.folder / EVIDENCE)


def _submission(key: Key) -> Submission:
    return Submission(*key, Path())


def _file(folder: Path, stem: str, number: int) -> Path:
    return folder / f"{stem}.{number}.jsonl"


def _lines(values: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    return (json_line(value).encode("ascii") + b"\n" for value in values)


def _key(value: Mapping[str, Any]) -> Key:
    return (str(value["candidate"]), str(value["problem"]))
