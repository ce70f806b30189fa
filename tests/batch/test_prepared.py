"""What a batch says while it prepares packages: one or several are told in agreement."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grader.batch import packages
from grader.problems.cache import CaseCache
from tests.packages import TINY


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("slugs", "told"),
    [
        (["one"], "Preparing one, once for this version of the package: up to half a minute."),
        (["one", "two"], "Preparing one, two, once for these versions of the packages: up to half a minute each."),
    ],
    ids=["one", "two"],
)
def test_preparing_that_takes_long_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slugs: list[str], told: str
) -> None:
    monkeypatch.setattr(packages, "PATIENCE_S", 0.0)
    for slug in slugs:
        shutil.copytree(TINY, tmp_path / "problems" / slug)
        statement = tmp_path / "problems" / slug / "statement.md"
        statement.write_text(f"{statement.read_text()}\n{slug}\n")  # each is a package of its own
    said: list[str] = []
    packages.prepare_packages(tmp_path / "problems", slugs, CaseCache(tmp_path / "cache"), 1, said.append)
    assert said == [told]
