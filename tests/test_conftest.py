"""The rules that the test session itself keeps."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SKIPS = {
    "in_a_test": "import pytest\ndef test_a(): pytest.skip('no browser')\n",
    "by_a_mark": "import pytest\n@pytest.mark.skipif(True, reason='no browser')\ndef test_a(): pass\n",
    "in_a_fixture": "import pytest\n@pytest.fixture\ndef a(): pytest.skip('no browser')\ndef test_a(a): pass\n",
    "of_a_module": "import pytest\npytest.skip('no browser', allow_module_level=True)\n",
    "of_an_import": "import pytest\npytest.importorskip('none_such', reason='no browser')\ndef test_a(): pass\n",
    "expected_failure": "import pytest\n@pytest.mark.xfail\ndef test_a(): assert 0\n",
}


def run_tests(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.conftest", "-p", "no:cacheprovider", str(folder)]
    clean = {name: value for name, value in os.environ.items() if name not in ("CI", "PYTEST_ADDOPTS")}
    return subprocess.run(command, cwd=ROOT, env=clean | environment, capture_output=True, text=True)


def test_skip_is_a_failure_in_ci_alone(tmp_path: Path) -> None:
    for name, text in SKIPS.items():
        (tmp_path / f"test_{name}.py").write_text(text)
    here = run_tests(tmp_path)
    assert here.returncode == 0, here.stdout
    assert "5 skipped, 1 xfailed" in here.stdout
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --continue-on-collection-errors\n")
    there = run_tests(tmp_path, CI="true")
    assert there.returncode == 1, there.stdout
    assert "1 failed, 1 xfailed, 4 errors" in there.stdout
    assert there.stdout.count("CI allows no skips: ") >= 5


LEAK = """
import subprocess, sys
from grader.sandbox.pool import Lane
def test_it():
    lane = Lane()
    lane.facts()
    lane._process = None  # lost
    KEPT.append(lane)
KEPT = []
"""


@pytest.mark.sandbox
def test_session_that_leaves_a_zygote_behind_fails(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(LEAK)
    done = run_tests(tmp_path)
    assert done.returncode == 1
    assert "left behind: {" in done.stdout


ORPHAN = """
from grader.sandbox.doctor import LIMITS
from grader.sandbox.pool import Lane
from tests.processes import adopted_zombies, wait_until
def test_it():
    lane = Lane()
    with lane.run(LIMITS):
        lane.kill()
    lane.close()
    assert wait_until(adopted_zombies)
"""
REAPED = """
from tests.processes import adopted_zombies
def test_it():
    assert adopted_zombies() == set()
"""


@pytest.mark.sandbox
def test_orphans_are_reaped_after_each_module(tmp_path: Path) -> None:
    (tmp_path / "test_first.py").write_text(ORPHAN)
    (tmp_path / "test_second.py").write_text(REAPED)
    done = run_tests(tmp_path)
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout
