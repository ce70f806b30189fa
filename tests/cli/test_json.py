"""What other programs read of the commands: keys, types, order, and what stays the same from run to run."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from types import NoneType
from typing import Any, Final

import pytest

from grader import __version__
from grader.problems.files import read_folder
from tests.cli.running import PROBLEMS, REFERENCE, SLUG, WRONG, Command
from tests.cli.shapes import REASON, RESULT, VERDICT, deviations

SHA256: Final = 64
PROBLEM: Final[dict[str, Any]] = {
    "slug": str,
    "title": str,
    "level": {"L2", "L3", "L4", "L5"},
    "minutes": int,
    "tags": [str],
    "roles": [str],
    "entries": [str],
    "variants": [str],
    "max_score": float,
    "package_sha256": str,
    "sets": [str],
}


@pytest.mark.sandbox
@pytest.mark.parametrize(("source", "code"), [(REFERENCE, 0), (WRONG, 1), (Path("empty"), 1)], ids=["AC", "WA", "CE"])
def test_a_judgement_is_one_object_of_schema_1(command: Command, source: Path, code: int) -> None:
    (command.folder / "empty").touch()
    ended = command.run("grade", SLUG, source, "--json")
    assert (ended.code, ended.err) == (code, "")
    assert ended.out.count("\n") == 1
    assert ended.out.isascii()
    judged = json.loads(ended.out)
    assert deviations(judged, RESULT) == []
    assert judged["source_sha256"] == hashlib.sha256((command.folder / source).read_bytes()).hexdigest()
    assert judged["package_sha256"] == read_folder(PROBLEMS / SLUG).sha256
    assert judged["versions"]["grader"] == __version__
    assert judged["sandbox"] == {"layers": ["seccomp", "landlock", "rlimits"], "weakened": False}
    assert judged["score"] == sum(group["points"] for group in judged["groups"])
    assert judged["max_score"] == sum(group["max_points"] for group in judged["groups"])
    assert {case["group"] for case in judged["cases"]} == {group["name"] for group in judged["groups"]}


@pytest.mark.sandbox
def test_only_the_timing_differs_from_run_to_run_and_door_to_door(command: Command) -> None:
    doors = [
        command.run("grade", SLUG, WRONG, "--json"),
        command.run("grade", "--json", str(PROBLEMS / SLUG), "-", stdin=WRONG.read_bytes()),
        command.run("grade", SLUG, WRONG, "--json", env={"GRADER_CACHE": str(command.folder / "other cache")}),
    ]
    assert {ended.out.partition('"timing"')[0] for ended in doors} == {doors[0].out.partition('"timing"')[0]}
    assert all('"timing"' in ended.out and ended.code == 1 for ended in doors)


def test_problems_are_one_array(command: Command) -> None:
    ended = command.run("problems", "--json")
    assert (ended.code, ended.err) == (0, "")
    problems = json.loads(ended.out)
    assert deviations(problems, [PROBLEM]) == []
    assert [problem["slug"] for problem in problems] == sorted(
        path.parent.name for path in PROBLEMS.glob("[!_]*/problem.yaml")
    )
    assert all(len(problem["package_sha256"]) == SHA256 for problem in problems)


def test_an_empty_bank_is_an_empty_array(command: Command) -> None:
    ended = command.run("problems", "--json", env={"GRADER_PROBLEMS": str(command.folder)})
    assert (ended.code, json.loads(ended.out)) == (0, [])
    assert ended.line == f"grader: {command.folder} holds no problem package; set GRADER_PROBLEMS to a folder of them."


@pytest.mark.sandbox
def test_the_sandbox_is_one_object(command: Command) -> None:
    ended = command.run("doctor", "--json")
    assert (ended.code, ended.err) == (0, "")
    facts = json.loads(ended.out)
    assert facts["ok"] is True
    assert facts["layers"] == ["seccomp", "landlock", "rlimits"]
    assert deviations(facts["canaries"], [{"name": str, "denied": {True}, "by": str}]) == []
    assert len({canary["name"] for canary in facts["canaries"]}) == len(facts["canaries"]) > 10


@pytest.mark.sandbox
def test_a_check_is_one_array(command: Command) -> None:
    ended = command.run("check", Path(__file__).parents[1] / "data/packages/tiny-attention", "--json")
    assert (ended.code, ended.err) == (0, "")
    (report,) = json.loads(ended.out)
    source = {
        "path": str,
        "expected": (str, NoneType),
        "verdict": VERDICT,
        "reason": REASON,
        "cases": [VERDICT | {None}],
    }
    fault = {"fault": str, "stage": (str, NoneType), "origin": str, "killed_by": [str]}
    rule = {"name": str, "entry": str, "minimum": (int, NoneType), "cases": [str], "exempt": bool}
    shape = {
        "slug": str,
        "ok": {True},
        "findings": [str],
        "sources": [source],
        "matrix": {"cases": [str], "faults": [fault]},
        "rules": [rule],
        "waiting": (str, NoneType),
        "notices": [str],
    }
    assert deviations(report, shape) == []
    assert report["sources"]
    assert report["matrix"]["faults"]
    assert report["rules"]
