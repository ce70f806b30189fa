"""What is told of a source with several slips does not contradict what the source returns, in any case of a package.

Sources: tests/data/first_wrong/<problem>/<name>.py; told.yaml beside them says which stage is told, and at which line.
Many of them are right by accident in cases that show little: one token, or one key for each query.
"""

from __future__ import annotations

from typing import Any, Final

import pytest
import yaml

from grader.grading.judge import Examination, examine
from grader.grading.verdict import Finding
from grader.grading.wrong_outputs import wrong_stages
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem, load_named
from grader.sandbox.pool import Lane
from tests.packages import DATA, SHIPPED

pytestmark = pytest.mark.sandbox
FOLDER: Final = DATA / "first_wrong"
TOLD: Final[dict[str, str | None]] = yaml.safe_load((FOLDER / "told.yaml").read_text())
CARRIED: Final = "sliding-window/small_weights_dropped.py"


def examined(source: str, lane: Lane, cache: CaseCache, is_fast: bool = False) -> tuple[Problem, Examination]:
    """Examine a source without the package's known faults, which would take long to prepare."""
    problem = load_named(source.partition("/")[0], SHIPPED)
    depth: Any = "fast" if is_fast else "full"
    return problem, examine(problem, (FOLDER / source).read_bytes(), lane, cache, depth, build=False)


def finding_of(source: str, lane: Lane, cache: CaseCache, is_fast: bool = False) -> Finding:
    return examined(source, lane, cache, is_fast)[1].judgement.finding


def test_every_source_is_told_of() -> None:
    assert {str(path.relative_to(FOLDER)) for path in FOLDER.glob("*/*.py")} == set(TOLD)


@pytest.mark.parametrize("source", TOLD)
def test_the_stage_and_its_line_are_told(source: str, lane: Lane, cache: CaseCache) -> None:
    finding = finding_of(source, lane, cache)
    told = TOLD[source]
    assert (finding.first_wrong_stage is None) is (told is None)
    assert told is None or finding.sentence.startswith(f"First wrong stage: {told}.")


@pytest.mark.parametrize("source", TOLD)
def test_no_wrong_output_is_ok(source: str, lane: Lane, cache: CaseCache) -> None:
    problem, examination = examined(source, lane, cache)
    states = dict(examination.judgement.finding.stages)
    cases = zip(cache.cases(problem, lane), examination.judged.outcomes, strict=True)
    wrong = {stage for case, outcome in cases for stage in wrong_stages(problem, case, outcome)}
    assert {stage for stage in wrong if states.get(stage) == "ok"} == set()


def test_the_look_that_names_the_stage_comes_first(lane: Lane, cache: CaseCache) -> None:
    _, examination = examined("sliding-window/scale_and_residual.py", lane, cache)
    assert examination.looks[0].case.name == "secret_layouts_turned"


def test_what_only_carries_is_not_wrong(lane: Lane, cache: CaseCache) -> None:
    states = dict(finding_of(CARRIED, lane, cache).stages)
    assert states == {
        "scores": "ok",
        "in_window": "ok",
        "masked_scores": "ok",
        "weights": "wrong",
        "mixed_values": "inherited",
    }


def test_nothing_is_told_where_what_was_before_is_not_known(lane: Lane, cache: CaseCache) -> None:
    assert finding_of(CARRIED, lane, cache, is_fast=True).first_wrong_stage is None
