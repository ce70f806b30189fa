"""Where a wall cannot be put up, nothing is judged: the grader runs under an outer filter that takes one away.

Only Landlock may be missing, and only where the operator says so; then everything says so.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import pytest

from grader.report.weakened import WEAKENED
from tests.packages import CACHE_VARIABLE, TINY
from tests.services.tiny_package import write_package
from tests.web.serving import serving

pytestmark = pytest.mark.sandbox
ROOT: Final = Path(__file__).resolve().parents[2]
SLUG: Final = "heads-never-mix"
SOURCE: Final = ROOT / f"problems/{SLUG}/submissions/accepted/corrected.py"
BANNER: Final = "<b>Weakened sandbox.</b>"
WEAK: Final = {"GRADER_ALLOW_WEAK_SANDBOX": "1"}
LANDLOCK: Final = [("landlock_create_ruleset", errno.ENOSYS), ("landlock_restrict_self", errno.EPERM)]
NEVER_OPTIONAL: Final = [("seccomp", errno.ENOSYS), ("capset", errno.EPERM), ("prlimit64", errno.EPERM)]
PR_CAPBSET_DROP: Final = 24
CAP_KILL: Final = 5
PRETENDED: Final = 0  # the call fails by the number 0: it says that it worked, and did nothing
RUN_UNDER: Final = """
import os, sys
import pyseccomp
outer = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
outer.add_rule(pyseccomp.ERRNO(int(sys.argv[2])), sys.argv[1])
outer.load()
os.execv(sys.argv[3], sys.argv[3:])
"""
GRADER: Final = str(Path(sys.executable).with_name("grader"))


def without(call: str, number: int) -> list[str]:
    """Return the beginning of a command that runs where a system call fails, as an outer container may have it."""
    return [sys.executable, "-c", RUN_UNDER, call, str(number)]


def run_without(
    call: str, number: int, folder: Path, *args: str | Path, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `grader` where a system call fails."""
    command = [*without(call, number), GRADER, *map(str, args)]
    environment = {**os.environ, "GRADER_CACHE": os.environ[CACHE_VARIABLE], "HOME": str(folder), **(env or {})}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


def graded_without(
    call: str, number: int, folder: Path, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return run_without(call, number, folder, "grade", SLUG, SOURCE, "--json", env=env)


@pytest.mark.parametrize(
    ("call", "number", "told"),
    [
        ("landlock_create_ruleset", errno.ENOSYS, "needs Landlock, which this kernel does not offer"),
        ("landlock_restrict_self", errno.EPERM, "Landlock domain cannot be set up here"),
        ("seccomp", errno.ENOSYS, "system-call filter cannot be set up here"),
        ("capset", errno.EPERM, "empty capability set cannot be set up here"),
        ("prlimit64", errno.EPERM, "cannot set the resource limit on core file size here ("),
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


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has capabilities to lack")
def test_root_that_may_not_kill_judges_nothing(tmp_path: Path) -> None:
    ended = subprocess.run(
        [GRADER, "grade", SLUG, SOURCE],
        env={**os.environ, "GRADER_CACHE": str(tmp_path), "HOME": str(tmp_path)},
        preexec_fn=lambda: ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_KILL, 0, 0, 0),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (ended.returncode, ended.stdout) == (4, "")
    assert ended.stderr == (
        "grader: The grader cannot end the sandbox's processes here: start it as an ordinary user, "
        "or give it the capabilities SETUID, SETGID and KILL.\n"
    )


def test_the_same_way_of_running_judges_when_nothing_is_missing(tmp_path: Path) -> None:
    ended = graded_without("reboot", errno.EPERM, tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["sandbox"] == {"layers": ["seccomp", "landlock", "rlimits"], "weakened": False}


@pytest.mark.parametrize(("call", "number"), LANDLOCK)
def test_landlock_may_be_missing_where_the_operator_says_so(tmp_path: Path, call: str, number: int) -> None:
    pytest.importorskip("pyseccomp")
    ended = graded_without(call, number, tmp_path, WEAK)
    assert ended.returncode == 0, ended.stderr
    judged = json.loads(ended.stdout)
    assert (judged["verdict"], judged["sandbox"]) == ("AC", {"layers": ["seccomp", "rlimits"], "weakened": True})
    assert ended.stderr.count("\n") == 1
    assert ended.stderr.startswith("grader: WEAKENED SANDBOX, as GRADER_ALLOW_WEAK_SANDBOX=1 allows. The sandbox")


def test_what_grade_prints_and_writes_shouts_that_a_wall_is_missing(tmp_path: Path) -> None:
    pytest.importorskip("pyseccomp")
    ended = run_without(*LANDLOCK[0], tmp_path, "grade", SLUG, SOURCE, "--html", tmp_path / "report.html", env=WEAK)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[0] == f"! {WEAKENED}"
    assert BANNER in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize(
    "args", [("check", TINY), pytest.param(("bench", SLUG, "--rounds", "10"), marks=pytest.mark.long)]
)
def test_commands_without_results_warn_that_a_wall_is_missing(tmp_path: Path, args: tuple[str | Path, ...]) -> None:
    pytest.importorskip("pyseccomp")
    cache = {"GRADER_CACHE": str(tmp_path / "cache")}  # a check that is kept would run nothing
    ended = run_without(*LANDLOCK[0], tmp_path, *args, env={**WEAK, **cache})
    told = [line for line in ended.stderr.splitlines() if line.startswith("grader: WEAKENED SANDBOX, as")]
    assert len(told) == 1, ended.stderr
    whole = run_without("reboot", errno.EPERM, tmp_path, *args, env={**WEAK, "GRADER_CACHE": str(tmp_path / "other")})
    assert "WEAKENED" not in whole.stderr
    assert ended.returncode == whole.returncode < 4


@pytest.mark.parametrize(("call", "number"), NEVER_OPTIONAL)
def test_no_other_wall_may_be_missing_even_then(tmp_path: Path, call: str, number: int) -> None:
    pytest.importorskip("pyseccomp")
    ended = graded_without(call, number, tmp_path, WEAK)
    assert (ended.returncode, ended.stdout) == (4, "")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has something to leave")
def test_root_may_not_stay_root_even_then(tmp_path: Path) -> None:
    ended = graded_without("setresuid", errno.EPERM, tmp_path, WEAK)
    assert (ended.returncode, ended.stdout) == (4, "")


def test_being_allowed_weakens_nothing(tmp_path: Path) -> None:
    ended = graded_without("reboot", errno.EPERM, tmp_path, WEAK)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert json.loads(ended.stdout)["sandbox"]["weakened"] is False


@pytest.mark.long
def test_every_result_of_a_batch_says_that_a_wall_is_missing(tmp_path: Path) -> None:
    pytest.importorskip("pyseccomp")
    for candidate, source in (("ada", SOURCE.read_bytes()), ("eve", b"")):
        path = tmp_path / "in" / candidate / f"{SLUG}.py"
        path.parent.mkdir(parents=True)
        path.write_bytes(source)
    formats = "csv,jsonl,junit,gradescope,html"
    args = ("batch", tmp_path / "in", "--out", tmp_path / "out", "--jobs", "1", "--format", formats)
    refused = run_without(*LANDLOCK[0], tmp_path, *args)
    assert refused.returncode == 4
    assert not (tmp_path / "out").exists()
    allowed = run_without(*LANDLOCK[0], tmp_path, *args, env=WEAK)
    assert allowed.returncode == 0, allowed.stderr
    assert "WEAKENED SANDBOX" in allowed.stderr
    results = [json.loads(line) for line in (tmp_path / "out/results.jsonl").read_text().splitlines()]
    assert sorted(result["verdict"] for result in results) == ["AC", "CE"]
    assert all(result["sandbox"] == {"layers": ["seccomp", "rlimits"], "weakened": True} for result in results)
    out = tmp_path / "out"
    suite = ElementTree.parse(out / "junit.xml").getroot().find("testsuite")
    assert suite is not None
    marked = [each.find("properties/property[@name='weakened']") for each in (suite, *suite.iter("testcase"))]
    assert len(marked) == 3
    assert None not in marked
    for candidate in ("ada", "eve"):
        assert WEAKENED in json.loads((out / f"gradescope/{candidate}/results.json").read_text())["output"]
        assert BANNER in (out / f"html/{candidate}.html").read_text()
    assert BANNER in (out / "report.html").read_text()


def test_the_doctor_shouts_that_a_wall_is_missing(tmp_path: Path) -> None:
    pytest.importorskip("pyseccomp")
    refused = run_without(*LANDLOCK[0], tmp_path, "doctor", "--json")
    told = json.loads(refused.stdout)
    assert (refused.returncode, told["ok"], told["layers"], told["canaries"]) == (4, False, [], [])
    assert told["error"] in refused.stderr
    allowed = json.loads(run_without(*LANDLOCK[0], tmp_path, "doctor", "--json", env=WEAK).stdout)
    assert (allowed["ok"], allowed["weakened"], allowed["layers"]) == (True, True, ["seccomp", "rlimits"])
    text = run_without(*LANDLOCK[0], tmp_path, "doctor", env=WEAK)
    assert text.returncode == 0
    assert text.stdout.startswith(
        "! WEAKENED SANDBOX, as GRADER_ALLOW_WEAK_SANDBOX=1 allows. The sandbox needs Landlock"
    )
    assert text.stdout.endswith("\nThe sandbox holds, but only by seccomp and rlimits.\n")


def weaknesses_in(log: Path) -> list[tuple[str, str]]:
    """Return level and logger of each line of a log in JSON that says that a wall is missing, and which it is."""
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    start = "WEAKENED SANDBOX, as GRADER_ALLOW_WEAK_SANDBOX=1 allows. The sandbox needs Landlock, which"
    return [(line["level"], line["logger"]) for line in lines if line["message"].startswith(start)]


def test_a_web_server_logs_at_its_start_that_a_wall_is_missing(tmp_path: Path) -> None:
    pytest.importorskip("pyseccomp")
    write_package(tmp_path / "problems")
    outer = without(*LANDLOCK[0])
    with serving(tmp_path, tmp_path / "problems", under=outer, GRADER_ALLOW_WEAK_SANDBOX="1"):
        assert weaknesses_in(tmp_path / "server.log") == [("warning", "grader.wsgi")]


@pytest.mark.parametrize(
    ("call", "got_through"),
    [("landlock_restrict_self", {"open a file without the filter"}), ("seccomp", {"TCP socket", "UDP socket", "fork"})],
)
def test_a_wall_that_only_pretends_is_found(tmp_path: Path, call: str, got_through: set[str]) -> None:
    pytest.importorskip("pyseccomp")
    ended = run_without(call, PRETENDED, tmp_path, "doctor", "--json")
    told = json.loads(ended.stdout)
    assert (ended.returncode, told["ok"]) == (4, False)
    assert {canary["name"] for canary in told["canaries"] if not canary["denied"]} >= got_through


@pytest.mark.parametrize("command", ["batch", "serve"])
def test_nothing_starts_behind_a_wall_that_only_pretends(tmp_path: Path, command: str) -> None:
    pytest.importorskip("pyseccomp")
    path = tmp_path / "in/ada" / f"{SLUG}.py"
    path.parent.mkdir(parents=True)
    path.write_bytes(SOURCE.read_bytes())
    args = {"batch": ("in", tmp_path / "in", "--out", tmp_path / "out")[1:], "serve": ("--port", "0")}[command]
    ended = run_without("seccomp", PRETENDED, tmp_path, command, *args)
    assert (ended.returncode, ended.stdout) == (4, "")
    assert ended.stderr.startswith("grader: The sandbox does not hold here (")
    assert ended.stderr.endswith("; see grader doctor.\n")
