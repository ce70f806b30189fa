"""Runs beyond judging: what is observed of sources of a shipped problem, of hostile ones, and where nothing can be."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from grader.grading.extra_runs import ExtraRuns, extra_runs
from grader.grading.judge_run import judge_closely, not_judged
from grader.grading.varied_cases import FACTORS, NOT_CAUSAL, NOT_SCALED, varied_cases
from grader.grading.verdict import Reason
from grader.problems.cache import CaseCache
from grader.problems.files import PackageFiles
from grader.problems.loader import REFERENCE, Problem, load, load_named
from grader.sandbox.pool import Lane
from tests.packages import HONEST, SHIPPED, edited, tiny_problem_with

pytestmark = pytest.mark.sandbox
ROWS: Final[list[dict[str, Any]]] = yaml.safe_load(Path(__file__).with_name("extra_runs.yaml").read_text())


@pytest.fixture(scope="module")
def heads() -> Problem:
    """A shipped problem with the stages of an attention layer."""
    return load_named("heads-never-mix", SHIPPED)


def observed(problem: Problem, source: bytes, lane: Lane, cache: CaseCache) -> ExtraRuns | None:
    return extra_runs(problem, source, judge_closely(problem, source, lane, cache).judgement, lane, cache)


@pytest.mark.parametrize("row", ROWS, ids=[row["source"] for row in ROWS])
def test_what_is_observed_of_shipped_sources(row: dict[str, Any], heads: Problem, lane: Lane, cache: CaseCache) -> None:
    found = observed(heads, heads.files.contents[f"submissions/{row['source']}"], lane, cache)
    assert found is not None
    assert found.perturbation is not None
    assert found.stability is not None
    first = found.stability.first_bad
    assert [output.moved for output in found.perturbation.outputs] == row["moved"]
    assert [rung.state for rung in found.stability.rungs] == row["rungs"]
    assert (first.factor if first else None) == row["first"]
    assert found.perturbation.is_still == (row["moved"] == [0, 0])


def test_arguments_are_found_without_their_names(heads: Problem, lane: Lane, cache: CaseCache) -> None:
    varied = varied_cases(heads, cache.cases(heads, lane), lane, cache)
    assert varied.perturbed is not None
    assert varied.ladder is not None
    assert varied.perturbed.arguments == ("x",)
    assert varied.perturbed.last >= 3
    assert varied.ladder.argument == "w_q"
    assert [factor for factor, _ in varied.ladder.rungs] == list(FACTORS)


def test_varied_cases_are_kept(heads: Problem, lane: Lane, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    made = varied_cases(heads, CaseCache(tmp_path).cases(heads, lane), lane, CaseCache(tmp_path))
    read = varied_cases(heads, (), lane, CaseCache(tmp_path))
    assert made.perturbed is not None
    assert read.perturbed is not None
    assert [case.answer for case in read.cases] == [case.answer for case in made.cases]
    assert read.perturbed.axes == made.perturbed.axes == (-2, -2)


def test_what_a_problem_does_not_have_is_left_out(lane: Lane, cache: CaseCache) -> None:
    problem = load_named("split-merge-reshape", SHIPPED)
    found = observed(problem, problem.files.contents[REFERENCE], lane, cache)
    assert found == ExtraRuns(left_out=(NOT_CAUSAL, NOT_SCALED))


def test_stages_without_scores_have_no_ladder(tiny: Problem, lane: Lane, cache: CaseCache) -> None:
    found = observed(tiny, HONEST, lane, cache)
    assert found is not None
    assert found.perturbation is not None
    assert (found.stability, found.left_out) == (None, (NOT_SCALED,))


@pytest.mark.parametrize(
    "source",
    [b"", b"def attend(:\n", b"def other():\n    return 1\n"],
    ids=["empty", "no syntax", "no entry"],
)
def test_what_does_not_run_is_not_run_again(source: bytes, tiny: Problem, lane: Lane, cache: CaseCache) -> None:
    assert observed(tiny, source, lane, cache) is None


def test_what_could_not_be_judged_is_not_run(tiny: Problem, lane: Lane, cache: CaseCache) -> None:
    failed = not_judged(tiny.slug, HONEST, Reason.JUDGE_ERROR, "the sandbox was lost")
    assert extra_runs(tiny, HONEST, failed, lane, cache) is None


ODD: Final = {
    "raises at import": ("1 / 0\n", "raised", "ZeroDivisionError"),
    "raises": ("def attend(x, w):\n    raise KeyError(x)\n", "raised", "KeyError"),
    "leaves": ("import os\ndef attend(x, w):\n    os._exit(0)\n", "ended", "bad_answer"),
    "never ends": ("def attend(x, w):\n    while True: pass\n", "ended", "time_limit"),
    "returns nothing": ("def attend(x, w):\n    return None\n", "ended", "wrong_type"),
    "returns one array": ("def attend(x, w):\n    return x\n", "disagrees", "shapes"),
    "returns integers": (
        "def attend(x, w):\n    return (x @ w).astype(int), (x @ x.T).astype(int)\n",
        "disagrees",
        "values",
    ),
}


@pytest.mark.parametrize(("source", "state", "detail"), ODD.values(), ids=ODD)
def test_odd_submissions_are_observed_as_what_they_are(
    source: str, state: str, detail: str, tiny: Problem, lane: Lane, cache: CaseCache
) -> None:
    found = observed(tiny, source.encode(), lane, cache)
    assert found is not None
    assert found.perturbation is not None
    assert (found.perturbation.state, found.perturbation.detail) == (state, detail)


def test_values_that_are_no_numbers_move_by_infinity(tiny: Problem, lane: Lane, cache: CaseCache) -> None:
    spoiled = b"    y = y * np.where(x[-1, 0] > 0, 1, np.nan)\n"
    source = HONEST.replace(b"def attend", b"def _attend", 1) + (
        b"\ndef attend(x, w):\n    y, weights = _attend(x, w)\n" + spoiled + b"    return y, weights\n"
    )
    found = observed(tiny, source, lane, cache)
    assert found is not None
    assert found.perturbation is not None
    assert [(output.moved, output.largest) for output in found.perturbation.outputs] == [(6, float("inf")), (0, 0.0)]


# what comes of the second question, after a first answer that is wrong in its numbers: nothing can be compared then
SECOND: Final = {
    "more rows": ("np.vstack([y, y]), weights", "disagrees", "shapes"),
    "fewer columns": ("y, weights[:, 1:]", "disagrees", "shapes"),
    "one array more": ("y, weights, y", "disagrees", "shapes"),
    "one array": ("y", "disagrees", "shapes"),
    "nothing": ("None", "ended", "wrong_type"),
    "an exception": ("{}[0]", "raised", "KeyError"),
    "no end": ("os._exit(0)", "ended", "bad_answer"),
}


@pytest.mark.parametrize("first", ["y + 1", "y * np.nan"])
@pytest.mark.parametrize(("second", "state", "detail"), SECOND.values(), ids=SECOND)
def test_what_stands_in_the_way_of_a_comparison_is_told(
    first: str, second: str, state: str, detail: str, tiny: Problem, lane: Lane, cache: CaseCache
) -> None:
    later = f"""
import os
CALLS = []
def attend(x, w):
    y, weights = _attend(x, w)
    CALLS.append(0)
    if len(CALLS) <= 2:
        return {first}, weights
    return {second}
"""
    found = observed(tiny, HONEST.replace(b"def attend", b"def _attend", 1) + later.encode(), lane, cache)
    assert found is not None
    assert found.perturbation is not None
    assert (found.perturbation.state, found.perturbation.detail, found.perturbation.outputs) == (state, detail, ())


# a reference that answers cases in their order alone, and none that it is asked for first
FIRST_ONLY: Final = """CALLS = []


def attend(x, w):
    CALLS.append(len(x))
    if CALLS[0] > 2:
        raise ValueError("asked out of turn")
"""


def test_a_package_whose_reference_fails_there_costs_the_runs_alone(lane: Lane) -> None:
    problem = tiny_problem_with({REFERENCE: edited(REFERENCE, "def attend(x, w):\n", FIRST_ONLY)})
    found = observed(problem, HONEST, lane, CaseCache(None))
    assert found == ExtraRuns(left_out=(NOT_CAUSAL, NOT_SCALED))


def test_a_package_without_stages_costs_the_runs_alone(heads: Problem, lane: Lane) -> None:
    files = PackageFiles(heads.slug, {**heads.files.contents, "stages.py": b"1 / 0\n"})
    problem = load(files)
    found = observed(problem, problem.files.contents[REFERENCE], lane, CaseCache(None))
    assert found == ExtraRuns(left_out=("The extra runs failed, which is not the submission's fault.",))


@pytest.mark.parametrize("slug", sorted(path.parent.name for path in SHIPPED.glob("[!_]*/problem.yaml")))
def test_every_shipped_problem_can_be_varied(slug: str, lane: Lane, cache: CaseCache) -> None:
    problem = load_named(slug, SHIPPED)
    found = observed(problem, problem.files.contents[REFERENCE], lane, cache)
    assert found is not None
    assert not [reason for reason in found.left_out if reason not in (NOT_CAUSAL, NOT_SCALED)]
