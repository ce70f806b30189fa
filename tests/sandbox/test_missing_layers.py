"""Where a wall cannot be put up, nothing is judged: the grader runs under an outer filter that takes one away."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

pytestmark = pytest.mark.sandbox
ROOT: Final = Path(__file__).resolve().parents[2]
SOURCE: Final = ROOT / "problems/heads-never-mix/submissions/accepted/corrected.py"
RUN_UNDER: Final = """
import os, sys
import pyseccomp
outer = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
outer.add_rule(pyseccomp.ERRNO(int(sys.argv[2])), sys.argv[1])
outer.load()
os.execv(sys.argv[3], sys.argv[3:])
"""
GRADER: Final = str(Path(sys.executable).with_name("grader"))


def graded_without(call: str, number: int, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run `grader grade` where a system call fails, as an outer container may have it."""
    command = [sys.executable, "-c", RUN_UNDER, call, str(number), GRADER, "grade", "heads-never-mix", str(SOURCE)]
    environment = {**os.environ, "GRADER_CACHE": str(folder / "cache"), "HOME": str(folder)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    ("call", "number", "told"),
    [
        ("landlock_create_ruleset", errno.ENOSYS, "needs Landlock, which this kernel does not offer"),
        ("landlock_restrict_self", errno.EPERM, "Landlock domain cannot be set up here"),
        ("seccomp", errno.ENOSYS, "system-call filter cannot be set up here"),
        ("capset", errno.EPERM, "empty capability set cannot be set up here"),
        ("prlimit64", errno.EPERM, "cannot set resource limit"),
    ],
)
def test_a_missing_wall_means_no_verdict(tmp_path: Path, call: str, number: int, told: str) -> None:
    pytest.importorskip("pyseccomp")
    ended = graded_without(call, number, tmp_path)
    assert (ended.returncode, ended.stdout) == (4, "")
    assert ended.stderr.count("\n") == 1
    assert told in ended.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has something to leave")
def test_root_that_cannot_leave_root_judges_nothing(tmp_path: Path) -> None:
    ended = graded_without("setresuid", errno.EPERM, tmp_path)
    assert (ended.returncode, ended.stdout) == (4, "")
    assert "cannot leave root here" in ended.stderr


def test_the_same_way_of_running_judges_when_nothing_is_missing(tmp_path: Path) -> None:
    ended = graded_without("reboot", errno.EPERM, tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "Accepted" in ended.stdout
