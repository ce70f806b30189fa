"""The wheel: what travels in it, and that it works alone, far from the checkout, for a user without a home."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from grader import __version__
from grader.problems.sets import load_sets

ROOT: Final = Path(__file__).parents[1]
SLUG: Final = "stable-softmax"
PIP: Final = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built without a network."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    command = [*PIP, "wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, cwd=folder, timeout=120)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `grader` of a new environment: its own package is the wheel's, its libraries are this environment's."""
    venv = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True, timeout=60)
    packages = sysconfig.get_path("purelib", vars={"base": str(venv), "platbase": str(venv)})
    subprocess.run(
        [*PIP, "--python", str(venv / "bin/python"), "install", "--no-deps", "--no-index", str(wheel)],
        check=True,
        timeout=60,
    )
    # sys.path alone: the .pth files of this environment, one of which points to the checkout, are not read there
    Path(packages, "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return venv / "bin/grader"


def files(folder: str) -> set[str]:
    """Return a folder's files, without what tools leave there."""
    paths = (path.relative_to(ROOT) for path in (ROOT / folder).rglob("*") if path.is_file())
    return {str(path) for path in paths if not any(part.startswith((".", "__pycache__")) for part in path.parts)}


def run(program: Path, folder: Path, *args: str, code: int = 0, **env: str) -> subprocess.CompletedProcess[str]:
    """Run the installed command in a folder, with an empty home there."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    variables: Mapping[str, str] = {"PATH": "/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8", **env}
    done = subprocess.run(
        [program, *args], capture_output=True, text=True, cwd=folder, env=variables, timeout=60, check=False
    )
    assert done.returncode == code, done
    return done


def test_problems_and_migrations_travel_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for folder in ("problems", "migrations"):
        wanted = {f"grader/_shipped/{path}" for path in files(folder)}
        assert {name for name in names if name.startswith(f"grader/_shipped/{folder}/")} == wanted
    built_from = {
        path for path in files("grader") if path.startswith("grader/web/editor/")
    }  # what is used is the bundle
    assert files("grader") - built_from <= names
    assert not built_from & names
    assert not any(name.startswith(("tests/", "problems/", "migrations/")) or "__pycache__" in name for name in names)


def test_the_license_travels_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (text,) = (archive.read(name) for name in archive.namelist() if name.endswith("licenses/LICENSE"))
    assert text == (ROOT / "LICENSE").read_bytes()


def test_the_installed_package_is_the_wheels(installed: Path, tmp_path: Path) -> None:
    python = installed.with_name("python")
    where = run(python, tmp_path, "-c", "import grader, grader.config; print(grader.config.shipped('problems'))").stdout
    assert where.startswith(str(installed.parents[1]))
    assert where.endswith("/grader/_shipped/problems\n")
    assert run(installed, tmp_path, "--version").stdout == f"grader, version {__version__}\n"


def test_the_shipped_problems_are_found(installed: Path, tmp_path: Path) -> None:
    table, _, sets = run(installed, tmp_path, "problems").stdout.partition("\n\n")
    listed = [line.split()[0] for line in table.splitlines()]
    assert listed == ["problem", *sorted(path.parent.name for path in (ROOT / "problems").glob("[!_]*/problem.yaml"))]
    assert sets == f"Sets (--set NAME): {', '.join(load_sets(ROOT / 'problems'))}\n"


@pytest.mark.sandbox
def test_a_file_is_judged_far_from_the_checkout(installed: Path, tmp_path: Path) -> None:
    source = (ROOT / "problems" / SLUG / "submissions/accepted/reference.py").read_bytes()
    (tmp_path / "fix.py").write_bytes(source)
    assert "✓ Accepted" in run(installed, tmp_path, "grade", SLUG, "fix.py").stdout
    assert [path.suffix for path in (tmp_path / "home/.cache/grader").iterdir()] == [".cases"]
    (tmp_path / "in/ann").mkdir(parents=True)
    (tmp_path / "in/ann" / f"{SLUG}.py").write_bytes(source)
    assert run(installed, tmp_path, "batch", "in", "--out", "out").stderr.endswith("1 result: 1 AC; in out\n")


@pytest.mark.sandbox
def test_a_new_package_is_made_in_the_current_folder(installed: Path, tmp_path: Path) -> None:
    shown = run(installed, tmp_path, "new", "attn-x").stdout
    assert shown.startswith("Wrote attn-x (12 files).")
    assert "  grader check ./attn-x\n" in shown
    assert "attn-x: in order; " in run(installed, tmp_path, "check", "./attn-x").stdout
    copied = run(installed, tmp_path, "new", "own", "--from", SLUG).stdout
    assert copied.startswith("Wrote own (")
    assert (tmp_path / "own/problem.yaml").is_file()
    assert not (tmp_path / "own/_standard").exists()


def test_the_database_is_made_far_from_the_checkout(installed: Path, tmp_path: Path) -> None:
    revision = max(path.name for path in (ROOT / "migrations/versions").glob("*.py")).partition("_")[0]
    assert run(installed, tmp_path, "db", "upgrade").stderr == f"The database is at {revision}.\n"
    assert os.access(tmp_path / "home/.local/share/grader/grader.sqlite3", os.R_OK)


def test_building_leaves_nothing_in_the_checkout(wheel: Path) -> None:
    assert wheel.exists()
    assert not [path.name for path in ROOT.iterdir() if path.name in ("build", "dist") or path.suffix == ".egg-info"]
