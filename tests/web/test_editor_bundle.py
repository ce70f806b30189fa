"""The committed editor is what its sources and lock file make."""

from __future__ import annotations

import gzip
import hashlib
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.web.serving import ROOT

SOURCES: Final = ROOT / "grader/web/editor"
BUNDLE: Final = ROOT / "grader/report/static/editor.js"
KIB_MAX: Final = 400
KIB_MAX_GZIP: Final = 135


def test_the_bundle_names_the_sources_that_it_was_made_from() -> None:
    made_from = hashlib.sha256()
    for name in ("build.mjs", "editor.js", "package-lock.json", "package.json"):
        made_from.update((SOURCES / name).read_bytes())
    with BUNDLE.open() as file:
        first_line = file.readline()
    assert first_line == f"// made from grader/web/editor {made_from.hexdigest()}\n", "build it: see build.mjs"


def test_the_bundle_is_the_one_that_was_built() -> None:
    assert (SOURCES / "bundle.sha256").read_text() == hashlib.sha256(BUNDLE.read_bytes()).hexdigest() + "\n"


def test_the_bundle_is_no_larger_than_it_has_to_be() -> None:
    data = BUNDLE.read_bytes()
    assert len(data) < KIB_MAX << 10
    assert len(gzip.compress(data, 9)) < KIB_MAX_GZIP << 10


def test_the_bundle_carries_its_licence() -> None:
    assert "MIT License" in BUNDLE.read_text()[:400]


@pytest.mark.long
def test_the_locked_packages_make_the_same_bundle(tmp_path: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed (Debian: apt-get install npm)")
    work = tmp_path / "grader/web/editor"
    shutil.copytree(SOURCES, work, ignore=shutil.ignore_patterns("node_modules"))
    for arguments in (
        ["ci", "--ignore-scripts", "--no-audit", "--no-fund"],
        ["run", "build", "--", str(tmp_path / "out.js")],
    ):
        subprocess.run([npm, *arguments], cwd=work, check=True, capture_output=True, timeout=300)
    assert (tmp_path / "out.js").read_bytes() == BUNDLE.read_bytes()
