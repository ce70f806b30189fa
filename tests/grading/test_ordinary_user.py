"""The same verdicts without root: no wall needs a privilege of the grader's."""

from __future__ import annotations

import json
import os
import sys

import pytest

from tests.ordinary import NOBODY, run_as_ordinary_user
from tests.packages import DATA

pytestmark = pytest.mark.sandbox
JUDGE_ALL = """
import json, os, sys
from pathlib import Path
from grader.grading.judge import judge
from grader.problems.cache import CaseCache
from grader.sandbox.pool import Lane
from tests.packages import DATA, HONEST, tiny_attention
assert os.getuid() and os.geteuid()
problem, lane, cache = tiny_attention(), Lane(), CaseCache(None)
verdicts = {}
for name in sys.argv[1:]:
    judgement = judge(problem, (DATA / name).read_bytes(), lane, cache)
    verdicts[name] = [judgement.verdict.value, judgement.reason.value if judgement.reason else ""]
facts = lane.facts()
print(json.dumps({"uid": os.getuid(), "sandbox": facts["uid"], "layers": facts["layers"], "verdicts": verdicts}))
lane.close()
"""
# all but most of those that run into the clock
SUBMISSIONS = [path for path in sorted((DATA / "submissions").glob("*/*.py")) if "TLE" not in path.parent.name]
HOSTILE = sorted((DATA / "hostile").glob("[!T]*/*.py")) + sorted((DATA / "hostile").glob("TLE/loops_in_c.py"))


def test_ordinary_user_gets_the_same_verdicts() -> None:
    names = [str(path.relative_to(DATA)) for path in SUBMISSIONS + HOSTILE]
    result = json.loads(run_as_ordinary_user([sys.executable, "-c", JUDGE_ALL, *names]))
    assert result["uid"] == (NOBODY if os.geteuid() == 0 else os.geteuid())
    assert result["sandbox"] == result["uid"], "a zygote that is no root has nothing to drop to"
    assert result["layers"] == ["seccomp", "landlock", "rlimits"]
    folders = {name: name.split("/")[1].partition("_") for name in names}
    wrong = {
        name: found
        for name, found in result["verdicts"].items()
        if found[0] != folders[name][0] or (name.startswith("submissions") and found[1] != folders[name][2])
    }
    assert not wrong
    assert len(result["verdicts"]) > 200
