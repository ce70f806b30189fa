"""The same verdicts and reasons for every user: as root, without root, and where no namespace may be made.

No wall needs a privilege of the grader's. The quick tests leave out most of what runs into the clock, the long one
nothing.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.ordinary import NOBODY, ROOT, run_as_ordinary_user
from tests.packages import DATA

pytestmark = pytest.mark.sandbox
# a filter around the grader and all that it starts: no namespace by unshare or clone, and no other way into one
FORBID: Final = """
import ctypes, errno
import pyseccomp
NAMESPACES = (0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000, 0x00020000)
outer = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
for name in ("unshare", "setns"):
    outer.add_rule(pyseccomp.ERRNO(errno.EPERM), name)
outer.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")
for flag in NAMESPACES:
    outer.add_rule(pyseccomp.ERRNO(errno.EPERM), "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, flag, flag))
outer.load()
libc = ctypes.CDLL(None, use_errno=True)
assert libc.unshare(0x10000000) == -1 and ctypes.get_errno() == errno.EPERM
"""
JUDGE: Final = """
import json, os, sys
from grader.grading.judge import judge
from grader.problems.cache import CaseCache
from grader.sandbox.pool import Lane
from tests.packages import DATA, tiny_attention
problem, lane, cache = tiny_attention(), Lane(), CaseCache(None)
verdicts = {}
for name in sys.argv[2:]:
    judgement = judge(problem, (DATA / name).read_bytes(), lane, cache, sys.argv[1])
    verdicts[name] = [judgement.verdict.value, judgement.reason.value if judgement.reason else ""]
facts = lane.facts()
print(json.dumps({"uid": os.getuid(), "sandbox": facts["uid"], "layers": facts["layers"], "verdicts": verdicts}))
lane.close()
"""
SUBMISSIONS: Final = sorted((DATA / "submissions").glob("*/*.py"))
HOSTILE: Final = sorted((DATA / "hostile").glob("*/*.py"))
QUICK_HOSTILE: Final = [path for path in HOSTILE if path.parent.name != "TLE"]
CLOCKS: Final = [DATA / "hostile" / "TLE" / "loops_in_c.py"]
QUICK_SUBMISSIONS: Final = [path for path in SUBMISSIONS if "TLE" not in path.parent.name]
SECONDS: Final = 600.0  # for all of them, most of it spent by those that run into the clock


def expected(paths: list[Path]) -> dict[str, list[str]]:
    """Return verdict and reason of each source: a folder tells a submission's, a table the reasons of hostile ones."""
    with (DATA / "hostile" / "reasons.csv").open(newline="") as file:
        reasons = {row["source"]: row["reason"] for row in csv.DictReader(file)}
    wanted = {}
    for path in paths:
        name, folder = str(path.relative_to(DATA)), path.parent.name
        if name.startswith("hostile/"):
            wanted[name] = [folder, reasons[f"{folder}/{path.name}"]]
        else:
            wanted[name] = [folder.partition("_")[0], folder.partition("_")[2]]
    return wanted


def judged_as(user: str, paths: list[Path], depth: str = "full", seconds: float = 120.0) -> dict[str, Any]:
    """Judge sources in a process of its own: root, ordinary, or without_namespaces (an ordinary user as well)."""
    program = FORBID + JUDGE if user == "without_namespaces" else JUDGE
    command = [sys.executable, "-c", program, depth, *(str(path.relative_to(DATA)) for path in paths)]
    if user != "root":
        text = run_as_ordinary_user(command, seconds)
    else:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=seconds)
        assert done.returncode == 0, done.stderr
        text = done.stdout
    found: dict[str, Any] = json.loads(text)
    return found


def different(found: dict[str, Any], paths: list[Path]) -> dict[str, tuple[list[str], list[str]]]:
    """Return what was judged otherwise than expected: what it got, and what it should have."""
    wanted, verdicts = expected(paths), found["verdicts"]
    assert set(verdicts) == set(wanted)
    return {name: (verdicts[name], wanted[name]) for name in wanted if verdicts[name] != wanted[name]}


def test_reasons_are_told_of_every_hostile_source() -> None:
    with (DATA / "hostile" / "reasons.csv").open(newline="") as file:
        named = [row["source"] for row in csv.DictReader(file)]
    assert named == [f"{path.parent.name}/{path.name}" for path in HOSTILE]


def test_ordinary_user_gets_the_same_verdicts() -> None:
    paths = QUICK_SUBMISSIONS + QUICK_HOSTILE + CLOCKS
    found = judged_as("ordinary", paths)
    assert found["uid"] == (NOBODY if os.geteuid() == 0 else os.geteuid())
    assert found["sandbox"] == found["uid"], "a zygote that is no root has nothing to drop to"
    assert found["layers"] == ["seccomp", "landlock", "rlimits"]
    assert different(found, paths) == {}


def test_hostile_sources_get_the_same_verdicts_without_namespaces() -> None:
    pytest.importorskip("pyseccomp", reason="libseccomp is missing (Debian, Ubuntu: apt-get install libseccomp2)")
    found = judged_as("without_namespaces", QUICK_HOSTILE, "fast")
    assert different(found, QUICK_HOSTILE) == {}


@pytest.mark.long
@pytest.mark.parametrize("user", ["root", "ordinary", "without_namespaces"])
def test_every_source_gets_the_same_verdict_as_every_user(user: str) -> None:
    if user == "root" and os.geteuid() != 0:
        pytest.skip("these tests do not run as root")
    if user == "without_namespaces":
        pytest.importorskip("pyseccomp", reason="libseccomp is missing (Debian, Ubuntu: apt-get install libseccomp2)")
    found = judged_as(user, SUBMISSIONS + HOSTILE, seconds=SECONDS)
    assert (found["uid"] == 0) is (user == "root")
    assert found["sandbox"] != 0
    assert different(found, SUBMISSIONS + HOSTILE) == {}
