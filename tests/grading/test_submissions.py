"""Every submission gets what its folder names: verdict and reason of the small package's, verdict of those shipped."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.errors import InvalidPackage
from grader.grading.case_run import SOURCE_BYTES_MAX
from grader.grading.judge import judge
from grader.grading.judge_run import judge_closely
from grader.grading.verdict import REASONS, Judgement, Reason, Verdict
from grader.problems.cache import CaseCache
from grader.problems.files import read_folder
from grader.problems.loader import Problem, load
from grader.sandbox.pool import Lane
from tests.packages import DATA, HONEST, SHIPPED, tiny_problem_with

pytestmark = pytest.mark.sandbox
SUBMISSIONS = sorted((DATA / "submissions").glob("*/*.py"))
FOLDERS = {
    "accepted": Verdict.AC,
    "wrong_answer": Verdict.WA,
    "run_time_error": Verdict.RTE,
    "time_limit_exceeded": Verdict.TLE,
}
PACKAGES = sorted(path.parent for path in SHIPPED.glob("[!_]*/problem.yaml"))
SHIPPED_SUBMISSIONS = [
    pytest.param(package, source, verdict, id=f"{package.name}/{folder}/{source.stem}")
    for package in PACKAGES
    for folder, verdict in FOLDERS.items()
    for source in sorted((package / "submissions" / folder).glob("*.py"))
]
STARTERS = [
    pytest.param(package, source, id=f"{package.name}/{source.stem}")
    for package in PACKAGES
    for source in sorted((package / "starters").glob("*.py"))
]


def check_is_consistent(problem: Problem, judgement: Judgement) -> None:
    """What holds of every judgement, whatever the submission did."""
    assert [case.name for case in judgement.cases] == [name for group in problem.spec.groups for name in group.cases]
    first = next((case for case in judgement.cases if case.verdict is not Verdict.AC), None)
    assert judgement.verdict == (first.verdict if first else Verdict.AC)
    assert judgement.failure == (first.failure if first else None)
    assert judgement.score == sum(group.points for group in judgement.groups)
    assert judgement.max_score == problem.max_score
    assert (judgement.verdict is Verdict.AC) == (judgement.score == judgement.max_score and first is None)
    for case in judgement.cases:
        assert (case.failure is None) == (case.verdict in (None, Verdict.AC))
    for group in judgement.groups:
        verdicts = {case.verdict for case in judgement.cases if case.group == group.name}
        assert group.points == (group.max_points if verdicts == {Verdict.AC} else 0.0)


@pytest.mark.parametrize("source", SUBMISSIONS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_submission_gets_what_its_folder_names(
    tiny: Problem, cache: CaseCache, lane: Lane, source: Path, caplog: pytest.LogCaptureFixture
) -> None:
    verdict, _, reason = source.parent.name.partition("_")
    judgement = judge(tiny, source.read_bytes(), lane, cache)
    detail = judgement.failure.detail if judgement.failure else ""
    assert (judgement.verdict, judgement.reason) == (verdict, reason or None), (judgement.message, detail)
    check_is_consistent(tiny, judgement)
    assert not caplog.records, "neither the finding nor anything else failed"


@pytest.mark.parametrize(("package", "source", "verdict"), SHIPPED_SUBMISSIONS)
def test_shipped_submission_gets_its_verdict(
    cache: CaseCache, lane: Lane, package: Path, source: Path, verdict: Verdict
) -> None:
    problem = load(read_folder(package))
    judgement = judge_closely(problem, source.read_bytes(), lane, cache).judgement  # its finding is for other tests
    assert judgement.verdict == verdict, judgement.message
    check_is_consistent(problem, judgement)


@pytest.mark.parametrize(("package", "source"), STARTERS)
def test_starter_is_never_accepted(cache: CaseCache, lane: Lane, package: Path, source: Path) -> None:
    judgement = judge_closely(load(read_folder(package)), source.read_bytes(), lane, cache).judgement
    assert judgement.verdict in (Verdict.WA, Verdict.RTE, Verdict.TLE), judgement.message


def test_submissions_are_found() -> None:
    assert SUBMISSIONS
    assert STARTERS
    assert {verdict for *_, verdict in (parameters.values for parameters in SHIPPED_SUBMISSIONS)} == set(
        FOLDERS.values()
    )


def test_every_reason_has_a_submission() -> None:
    shown = {path.parent.name.partition("_")[2] for path in SUBMISSIONS} - {""}
    ours = {reason for reason in Reason if REASONS[reason][0] is Verdict.JE}
    assert shown == {reason.value for reason in Reason} - {reason.value for reason in ours} - {"too_large"}


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (HONEST + b"#" * (SOURCE_BYTES_MAX - len(HONEST)), None),
        (HONEST + b"#" * (SOURCE_BYTES_MAX + 1 - len(HONEST)), Reason.TOO_LARGE),
        (b"\0" * (SOURCE_BYTES_MAX + 1), Reason.TOO_LARGE),
    ],
    ids=["just as large", "too large", "too large and no Python"],
)
def test_source_of_more_than_a_mebibyte_is_too_large(
    tiny: Problem, cache: CaseCache, lane: Lane, source: bytes, reason: Reason | None
) -> None:
    assert judge(tiny, source, lane, cache).reason is reason


def test_broken_package_is_our_fault(cache: CaseCache, lane: Lane) -> None:
    judgement = judge(tiny_problem_with({"cases.py": "raise KeyError"}), HONEST, lane, cache)
    assert (judgement.verdict, judgement.reason) == (Verdict.JE, Reason.INVALID_PACKAGE)
    assert (judgement.score, judgement.max_score, judgement.cases) == (None, None, ())
    assert judgement.failure is not None
    assert "cases.py line 1: KeyError" in judgement.failure.detail
    assert "KeyError" not in judgement.message


def test_package_that_is_broken_for_the_loader_too(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(InvalidPackage):
        load(read_folder(tmp_path / "a"))
