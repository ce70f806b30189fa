"""Folders of submissions, and what a batch has made of them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from grader.grading.verdict import Verdict
from tests.packages import DATA, TINY

BANK: Final = DATA / "packages"
SLUG: Final = TINY.name
RIGHT: Final = (TINY / "submissions/accepted/reference.py").read_bytes()
WRONG: Final = (TINY / "submissions/wrong_answer/mask_missing.py").read_bytes()
ENV: Final[Mapping[str, str | None]] = {"GRADER_PROBLEMS": str(BANK)}
BATCH: Final = ("batch", "in", "--out", "out", "--jobs", "1")  # a second process costs more than it helps
VERDICT_OF: Final = {
    "accepted": Verdict.AC,
    "wrong_answer": Verdict.WA,
    "run_time_error": Verdict.RTE,
    "time_limit_exceeded": Verdict.TLE,
}


def put(folder: Path, candidate: str | bytes, source: bytes, slug: str = SLUG) -> Path:
    """Write one submission; return its path."""
    path = folder / os.fsdecode(candidate) / f"{slug}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(source)
    return path


def put_many(folder: Path, count: int, source: bytes = RIGHT) -> list[str]:
    """Write submissions of candidates c000, c001, ..., no two of the same bytes; return the candidates."""
    names = [f"c{number:03}" for number in range(count)]
    for name in names:
        put(folder, name, source + f"# {name}\n".encode())
    return names


def copy_judged(template: Path, folder: Path) -> None:
    """Copy a folder with a batch in it, as if the batch had been judged there."""
    shutil.copytree(template, folder, dirs_exist_ok=True, symlinks=True)
    for manifest in folder.glob("*/manifest.json"):
        manifest.write_text(manifest.read_text().replace(str(template), str(folder)))


def lines(out: Path) -> list[dict[str, Any]]:
    """Return the results of a batch; every line is whole."""
    text = (out / "results.jsonl").read_text(encoding="ascii")
    assert text == "" or text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


def verdicts(out: Path) -> dict[str, str]:
    """Return the verdict of each candidate; there is one result for each and no more."""
    results = lines(out)
    found = {result["candidate"]: result["verdict"] for result in results}
    assert len(found) == len(results)
    return found


def table(out: Path) -> list[str]:
    """Return the lines of the table, without its head."""
    return (out / "results.csv").read_text().splitlines()[1:]
