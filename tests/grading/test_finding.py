"""The finding of sources that are wrong in all kinds of ways, and of those that try to mislead it.

Golden texts: tests/data/findings/<problem>/<name>.py has its finding in findings.json; UPDATE_GOLDEN=1 writes it anew.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final

import pytest

from grader.grading.judge import Depth, judge
from grader.grading.judge_run import judge_closely
from grader.grading.verdict import Finding, Judgement, Verdict
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem, load_named, slugs
from grader.report.result import result
from grader.sandbox.pool import Lane
from tests.packages import DATA, SHIPPED

pytestmark = pytest.mark.sandbox
FOLDER: Final = DATA / "findings"
REFERENCE: Final = (SHIPPED / "heads-never-mix/submissions/accepted/reference.py").read_bytes()
GOLDEN: Final = FOLDER / "findings.json"
SOURCES: Final = sorted(path.relative_to(FOLDER) for path in FOLDER.glob("*/*.py"))
# kinds of which the finding must say nothing, whatever the submission computes
SILENT: Final = (
    "changes_its_tokens",
    "keeps_weights_by_shape",
    "leaves_the_weights_out",
    "outputs_swapped",
    "raises_first",
)


@pytest.fixture(scope="session")
def bank() -> dict[str, Problem]:
    """The shipped problems."""
    return {path.name: load_named(path.name, SHIPPED) for path in FOLDER.iterdir() if path.is_dir()}


def judged(bank: dict[str, Problem], source: Path, lane: Lane, cache: CaseCache, depth: Depth = "full") -> Judgement:
    """Judge one of the sources of this file's folder."""
    return judge(bank[source.parent.name], (FOLDER / source).read_bytes(), lane, cache, depth)


def told(finding: Finding) -> dict[str, Any]:
    """Return a finding as the golden file holds it."""
    return {
        "sentence": finding.sentence,
        "stage": finding.first_wrong_stage,
        "faults": list(finding.faults),
        "method": finding.method,
        "states": dict(finding.stages),
    }


def test_sources_are_found() -> None:
    assert len(SOURCES) > 20


@pytest.mark.parametrize("source", SOURCES, ids=str)
def test_finding_is_the_golden_one(bank: dict[str, Problem], source: Path, lane: Lane, cache: CaseCache) -> None:
    judgement = judged(bank, source, lane, cache)
    assert judgement.verdict in (Verdict.WA, Verdict.RTE)
    golden = json.loads(GOLDEN.read_text()) if GOLDEN.exists() else {}
    if os.environ.get("UPDATE_GOLDEN"):
        golden[str(source)] = told(judgement.finding)
        GOLDEN.write_text(json.dumps(dict(sorted(golden.items())), indent=1) + "\n")
    assert told(judgement.finding) == golden[str(source)]


@pytest.mark.parametrize("source", SOURCES, ids=str)
def test_finding_touches_neither_verdict_nor_points(
    bank: dict[str, Problem], source: Path, lane: Lane, cache: CaseCache
) -> None:
    plain = judge_closely(bank[source.parent.name], (FOLDER / source).read_bytes(), lane, cache).judgement
    full = judged(bank, source, lane, cache)
    assert (full.verdict, full.failure, full.score, full.groups, full.cases) == (
        plain.verdict,
        plain.failure,
        plain.score,
        plain.groups,
        plain.cases,
    )


@pytest.mark.parametrize("name", SILENT)
def test_contract_faults_name_no_stage(bank: dict[str, Problem], name: str, lane: Lane, cache: CaseCache) -> None:
    finding = judged(bank, Path("heads-never-mix") / f"{name}.py", lane, cache).finding
    assert (finding.first_wrong_stage, finding.faults) == (None, ())


@pytest.mark.parametrize("slug", ["audit-single-head", "heads-never-mix", "split-merge-reshape"])
def test_unusual_right_sources_have_no_finding(
    bank: dict[str, Problem], slug: str, lane: Lane, cache: CaseCache
) -> None:
    problem = bank[slug]
    for path in problem.files.below("submissions/accepted"):
        finding = judge(problem, problem.files.contents[path], lane, cache).finding
        assert told(finding) == told(Finding("Every case agrees with the reference.")), path


def test_every_fault_of_a_package_is_named(bank: dict[str, Problem], lane: Lane, cache: CaseCache) -> None:
    problem = bank["heads-never-mix"]
    for path, spec in problem.faults.files.items():
        if spec.stage is None:
            continue
        finding = judge(problem, problem.files.contents[f"submissions/{path}"], lane, cache, "fast").finding
        assert set(spec.fault.split("+")) <= set(finding.faults), path


@pytest.mark.long
@pytest.mark.parametrize("slug", slugs(SHIPPED))
def test_wrong_sources_of_the_bank_show_their_stage(slug: str, lane: Lane, cache: CaseCache) -> None:
    problem = load_named(slug, SHIPPED)
    others = []
    staged = {path: spec.stage for path, spec in problem.faults.files.items() if spec.stage is not None}
    for path, stage in staged.items():
        finding = judge(problem, problem.files.contents[f"submissions/{path}"], lane, cache).finding
        if finding.first_wrong_stage != stage:
            others.append((path, stage, finding.first_wrong_stage))
    print(f"{slug}: {len(staged) - len(others)} of {len(staged)}")
    assert len(others) <= 0.05 * len(staged), others


def test_fast_leaves_the_trace_out(bank: dict[str, Problem], lane: Lane, cache: CaseCache) -> None:
    source = Path("heads-never-mix/unknown_mask.py")
    assert judged(bank, source, lane, cache, "fast").finding.method != "trace"
    assert judged(bank, source, lane, cache).finding.method == "trace"


# which of them nobody held against known faults, where their tables are not there and are not made: those that could be
LOOKED_UP: Final[dict[str, bool | None]] = {
    "changes_its_tokens": None,
    "keeps_weights_by_shape": False,
    "leaves_the_weights_out": False,
    "outputs_swapped": None,
    "raises_first": False,
    "unknown_mask": False,
}


@pytest.mark.parametrize("depth", ["full", "fast"])
@pytest.mark.parametrize("name", LOOKED_UP)
def test_a_result_says_where_nobody_looked(bank: dict[str, Problem], name: str, depth: Depth, lane: Lane) -> None:
    problem, source = bank["heads-never-mix"], (FOLDER / "heads-never-mix" / f"{name}.py").read_bytes()
    found = result(judge(problem, source, lane, CaseCache(None), depth, build=False))["finding"]
    assert found.get("looked_up") is LOOKED_UP[name]


@pytest.mark.parametrize("source", [REFERENCE, b"", b"def nothing():\n    return 0\n"], ids=["AC", "CE", "no entry"])
def test_a_result_says_nothing_where_nothing_is_looked_up(
    bank: dict[str, Problem], source: bytes, lane: Lane, cache: CaseCache
) -> None:
    assert "looked_up" not in result(judge(bank["heads-never-mix"], source, lane, cache, build=False))["finding"]


def test_what_its_prints_cut_off_is_not_said_to_keep_anything(
    bank: dict[str, Problem], lane: Lane, cache: CaseCache
) -> None:
    problem = bank["heads-never-mix"]
    flood = b"""
_right = multi_head_attention
def multi_head_attention(*arguments):
    print("x" * 200_000)
    return _right(*arguments)
"""
    source = problem.files.contents["submissions/accepted/corrected.py"] + flood
    judgement = judge(problem, source, lane, cache, "full")
    assert judgement.verdict is Verdict.OLE
    assert judgement.finding == Finding(judgement.message)
