"""Keeps an evidence record beside the result that it is of, wherever either was moved to or from."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grader.batch.outputs import Places, has_record
from grader.batch.submissions import Submission

Mark = tuple[str, ...]  # what a result and its record have in common, and no other result of the submission has


def mark_of(value: Mapping[str, Any]) -> Mark:
    """Return what tells a result's record from those of other results; nothing where a batch makes none of it."""
    if not has_record(value):
        return ()
    versions = value["versions"]
    grader = versions.get("grader", "") if isinstance(versions, dict) else ""  # a line may have been written by hand
    return (value["source_sha256"], value["package_sha256"], value["verdict"], grader)


def settle_record(places: Places, aside: Places, value: Mapping[str, Any], before: Mapping[int, Mark]) -> None:
    """Have a result's record be of it: one of another result goes to where that is kept, or goes.

    What is found nowhere is missing afterwards, so that the batch makes it again when it goes on.

    Args:
        aside: where records are of results that were judged again and perhaps not taken over.
        before: the marks of the results that were replaced, by the number of their taking over.
    """
    submission, mark = Submission(str(value["candidate"]), str(value["problem"]), Path()), mark_of(value)
    present = places.evidence(submission)
    if not present.exists() and not mark:
        return
    if (found := _mark_in(present)) == mark:
        return
    kept = {number: places.kept_evidence(submission, number) for number in before}
    if present.exists():
        _move(present, next((kept[number] for number, old in before.items() if found == old), None))
    for other in (aside.evidence(submission), *kept.values()):
        if mark and _mark_in(other) == mark:
            _move(other, present)
            return


def _move(path: Path, to: Path | None) -> None:
    if to is None:
        path.unlink()
        return
    to.parent.mkdir(parents=True, exist_ok=True)
    os.replace(path, to)


def _mark_in(path: Path) -> Mark | None:
    """Return the mark of the result that a record is of; None without a record."""
    try:
        record = json.loads(path.read_bytes())
        hashes = (record["source"]["sha256"], record["package"]["sha256"])
        return (*hashes, record["judgement"]["verdict"], record["versions"]["grader"])
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return None
