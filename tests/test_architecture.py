"""What the code base promises of itself: layers, sizes, and no reason that nobody gives."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader.grading.verdict import Reason
from grader.sandbox.exchange import End

ROOT = Path(__file__).parents[1]
MODULES = sorted((ROOT / "grader").rglob("*.py"))
LINES_MAX = 400


def test_imports_keep_their_contracts() -> None:
    command = shutil.which("lint-imports", path=str(Path(sys.executable).parent))
    if command is None:
        pytest.skip("import-linter is missing; ./dev test installs it")
    done = subprocess.run([command, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_modules_are_found() -> None:
    assert len(MODULES) > 20


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_module_stays_readable(module: Path) -> None:
    assert len(module.read_text().splitlines()) <= LINES_MAX


def reasons_used_in(path: Path) -> set[str]:
    """Return the members of `Reason` that a module names."""
    return {
        node.attr
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "Reason"
    }


def test_every_reason_is_given_by_somebody() -> None:
    folder = ROOT / "grader" / "grading"
    used = set().union(*(reasons_used_in(path) for path in folder.glob("*.py") if path.name != "verdict.py"))
    ends = {Reason(end.value).name for end in End}  # a run's end is a reason of the same name
    assert used | ends == {reason.name for reason in Reason}


def test_every_end_of_a_run_is_a_reason() -> None:
    assert {end.value for end in End} <= {reason.value for reason in Reason}


def test_the_grader_parses_sources_at_one_door() -> None:
    assert {str(path.relative_to(ROOT / "grader")) for path in MODULES if "ast.parse(" in path.read_text()} == {
        "grading/syntax_tree.py",  # where threads take turns
        "sandbox/rewriting.py",  # in a child, which has one thread
    }
