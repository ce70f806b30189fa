"""The packages that tests use, and edits of them."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import yaml

from grader.problems.files import PackageFiles, read_folder
from grader.problems.loader import REFERENCE, Problem, load, load_all

DATA = Path(__file__).parent / "data"
TINY = DATA / "packages" / "tiny-attention"
SHIPPED = Path(__file__).parents[1] / "problems"
SOME: Final = ("audit-single-head", "heads-never-mix", "split-merge-reshape")  # findings are tested with them, too
CACHE_VARIABLE = "TEST_CACHE"  # the folder of what is made of packages once in a session


def some_shipped(folder: Path) -> Path:
    """Copy some of the shipped packages and what sets have of them: a service prepares each, which takes seconds."""
    for name in ("_standard", *SOME):
        shutil.copytree(SHIPPED / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    sets = yaml.safe_load((SHIPPED / "sets.yaml").read_text())
    for each in sets["sets"].values():
        each["problems"] = [slug for slug in each["problems"] if slug in SOME]
    sets["sets"] = {name: each for name, each in sets["sets"].items() if each["problems"]}
    (folder / "sets.yaml").write_text(yaml.safe_dump(sets))
    return folder


def tiny_attention() -> Problem:
    """Return the small package, with every file of it checked."""
    return load_all(read_folder(TINY))


def tiny_with(changes: Mapping[str, str | bytes | None]) -> PackageFiles:
    """Return the small package's files with some replaced, added, or removed (None)."""
    contents = dict(read_folder(TINY).contents)
    for path, content in changes.items():
        if content is None:
            del contents[path]
        else:
            contents[path] = content.encode() if isinstance(content, str) else content
    return PackageFiles(TINY.name, contents)


def tiny_problem_with(changes: Mapping[str, str | bytes | None]) -> Problem:
    """Return the problem of a changed small package."""
    return load(tiny_with(changes))


def text_of(path: str) -> str:
    """Return a file of the small package."""
    return (TINY / path).read_text()


def edited(path: str, old: str, new: str) -> str:
    """Return a file of the small package with one passage replaced; the passage must be there once."""
    text = text_of(path)
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path}"
    return text.replace(old, new)


HONEST = (TINY / REFERENCE).read_bytes()
