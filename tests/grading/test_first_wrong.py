"""What is told of a source with several slips does not contradict what the source returns, in any case of a package.

Sources: tests/data/first_wrong/<problem>/<name>.py; told.yaml beside them says which stage is told, and at which line.
Many of them are right by accident in cases that show little: one token, or one key for each query.
"""

from __future__ import annotations

from typing import Any, Final

import pytest
import yaml

from grader.grading.judge import Examination, examine, judge
from grader.grading.verdict import Finding, Verdict
from grader.grading.wrong_outputs import wrong_stages
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem, load_named
from grader.sandbox.pool import Lane
from tests.packages import DATA, SHIPPED

pytestmark = pytest.mark.sandbox
FOLDER: Final = DATA / "first_wrong"
TOLD: Final[dict[str, str | None]] = yaml.safe_load((FOLDER / "told.yaml").read_text())
RETURNS: Final[dict[str, Any]] = yaml.safe_load((FOLDER / "returns.yaml").read_text())
RETURNED: Final = [(slug, *each) for slug, given in RETURNS.items() for each in given["told"].items()]
CARRIED: Final = "sliding-window/small_weights_dropped.py"


def examined(source: str, lane: Lane, cases_alone: CaseCache, is_fast: bool = False) -> tuple[Problem, Examination]:
    """Examine a source without the package's known faults, which would take long to prepare."""
    problem = load_named(source.partition("/")[0], SHIPPED)
    depth: Any = "fast" if is_fast else "full"
    return problem, examine(problem, (FOLDER / source).read_bytes(), lane, cases_alone, depth, build=False)


def begun(told: str | None) -> str:
    """Return how a finding begins that tells a stage."""
    return f"First wrong stage: {told}." if told else ""


def finding_of(source: str, lane: Lane, cases_alone: CaseCache, is_fast: bool = False) -> Finding:
    return examined(source, lane, cases_alone, is_fast)[1].judgement.finding


def test_every_source_is_told_of() -> None:
    assert {str(path.relative_to(FOLDER)) for path in FOLDER.glob("*/*.py")} == set(TOLD)


@pytest.mark.parametrize("source", TOLD)
def test_the_stage_and_its_line_are_told(source: str, lane: Lane, cases_alone: CaseCache) -> None:
    finding = finding_of(source, lane, cases_alone)
    told = TOLD[source]
    assert (finding.first_wrong_stage is None) is (told is None)
    assert finding.sentence.startswith(begun(told))


@pytest.mark.parametrize(("slug", "statement", "told"), RETURNED)
def test_what_is_spoilt_when_it_is_returned_is_told_there(
    slug: str, statement: str, told: str | None, lane: Lane, cases_alone: CaseCache
) -> None:
    source = f"{RETURNS[slug]['source']}    {statement}\n"
    judgement = judge(load_named(slug, SHIPPED), source.encode(), lane, cases_alone, build=False)
    assert (judgement.verdict is Verdict.AC) is (told is None)
    assert judgement.finding.sentence.startswith(begun(told))


@pytest.mark.parametrize("source", TOLD)
def test_no_wrong_output_is_ok(source: str, lane: Lane, cases_alone: CaseCache) -> None:
    problem, examination = examined(source, lane, cases_alone)
    states = dict(examination.judgement.finding.stages)
    cases = zip(cases_alone.cases(problem, lane), examination.judged.outcomes, strict=True)
    wrong = {stage for case, outcome in cases for stage in wrong_stages(problem, case, outcome)}
    assert {stage for stage in wrong if states.get(stage) == "ok"} == set()


def test_the_look_that_names_the_stage_comes_first(lane: Lane, cases_alone: CaseCache) -> None:
    _, examination = examined("sliding-window/scale_and_residual.py", lane, cases_alone)
    assert examination.looks[0].case.name == "secret_layouts_turned"


def test_what_only_carries_is_not_wrong(lane: Lane, cases_alone: CaseCache) -> None:
    states = dict(finding_of(CARRIED, lane, cases_alone).stages)
    assert states == {
        "scores": "ok",
        "in_window": "ok",
        "masked_scores": "ok",
        "weights": "wrong",
        "mixed_values": "inherited",
    }


@pytest.mark.parametrize("source", ["table_of_ages", "running_product"])
def test_returned_weights_alone_do_not_make_a_formula_of_scores(
    source: str, lane: Lane, cases_alone: CaseCache
) -> None:
    assert finding_of(f"audit-single-head/{source}.py", lane, cases_alone, is_fast=True).first_wrong_stage in (
        None,
        "weights",
    )


def test_what_was_never_computed_is_not_seen(lane: Lane, cases_alone: CaseCache) -> None:
    states = dict(finding_of("heads-never-mix/table_of_roots.py", lane, cases_alone).stages)
    assert states == {
        "queries": "not_seen",
        "keys": "not_seen",
        "values": "ok",
        "scores": "not_seen",
        "masked_scores": "not_seen",
        "weights": "wrong",
        "mixed_values": "inherited",
        "output": "inherited",
    }


def test_nothing_is_told_where_what_was_before_is_not_known(lane: Lane, cases_alone: CaseCache) -> None:
    assert finding_of(CARRIED, lane, cases_alone, is_fast=True).first_wrong_stage is None
