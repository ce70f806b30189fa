"""The same verdicts where no namespace may be made, as under the default profile of many containers."""

from __future__ import annotations

import json
import sys

import pytest

from tests.ordinary import run_as_ordinary_user
from tests.packages import DATA

pytestmark = pytest.mark.sandbox
HOSTILE = sorted(str(path.relative_to(DATA)) for path in (DATA / "hostile").glob("[!T]*/*.py"))
# a filter around the grader and all that it starts: no namespace by unshare or clone, and no other way into one
FORBID = """
import errno, json, os, sys
import pyseccomp
NAMESPACES = (0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000, 0x00020000)
outer = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
for name in ("unshare", "setns"):
    outer.add_rule(pyseccomp.ERRNO(errno.EPERM), name)
outer.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")
for flag in NAMESPACES:
    outer.add_rule(pyseccomp.ERRNO(errno.EPERM), "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, flag, flag))
outer.load()
"""
JUDGE = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
assert libc.unshare(0x10000000) == -1 and ctypes.get_errno() == errno.EPERM
from grader.grading.judge import judge
from grader.problems.cache import CaseCache
from grader.sandbox.pool import Lane
from tests.packages import DATA, HONEST, tiny_attention
problem, lane, cache = tiny_attention(), Lane(), CaseCache(None)
sources = {name: (DATA / name).read_bytes() for name in sys.argv[1:]}
verdicts = {name: judge(problem, source, lane, cache, "fast").verdict.value for name, source in sources.items()}
print(json.dumps({"honest": judge(problem, HONEST, lane, cache).verdict.value, "verdicts": verdicts}))
lane.close()
"""


def test_hostile_sources_get_the_same_verdicts_without_namespaces() -> None:
    pytest.importorskip("pyseccomp", reason="libseccomp is missing (Debian, Ubuntu: apt-get install libseccomp2)")
    found = json.loads(run_as_ordinary_user([sys.executable, "-c", FORBID + JUDGE, *HOSTILE]))
    assert found["honest"] == "AC"
    assert len(found["verdicts"]) > 330
    assert {name: verdict for name, verdict in found["verdicts"].items() if verdict != name.split("/")[1]} == {}
